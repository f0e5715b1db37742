"""Plays to Kafka clients: a double of the brokers, and the clients as subjects."""
