"""The evaluation: drives the real program from outside, and measures it. The product never knows it."""
