"""What engines, views and questions take for a spec: an interface that a front end implements."""
