// y <- a y + b, `repeat` times, for each of the n floats of the task's buffer.
__kernel void scale_add(__global float* y, int n, int repeat, float a, float b) {
  size_t i = get_global_id(0);
  if (i >= (size_t)n) return;
  float value = y[i];
  for (int r = 0; r < repeat; ++r) value = a * value + b;
  y[i] = value;
}
