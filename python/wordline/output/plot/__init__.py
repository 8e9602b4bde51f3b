"""Figures for papers, made from data that lies beside them."""
