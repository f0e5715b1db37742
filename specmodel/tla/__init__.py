"""The front end for TLA+: modules and configuration files as TLC reads them."""
