"""Servers, tasks and players that tests share."""
