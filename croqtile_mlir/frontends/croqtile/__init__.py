"""The Croqtile source language: `.co` files in, croq modules out."""
