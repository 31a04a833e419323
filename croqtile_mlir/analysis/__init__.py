"""Analyses that several passes share."""
