"""The model: the interface of a spec for engines and views, which a front end implements."""
