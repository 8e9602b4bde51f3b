"""What docs/validation/warp.md is made of."""
