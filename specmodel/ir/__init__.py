"""The typed finite-domain IR that every compiled engine shares."""
