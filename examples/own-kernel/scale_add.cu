// y <- a y + b, `repeat` times, for each of the n floats of the task's buffer.
extern "C" __global__ void scale_add(float* y, int n, int repeat, float a, float b) {
  const size_t i = size_t(blockIdx.x) * blockDim.x + threadIdx.x;
  if (i >= size_t(n)) return;
  float value = y[i];
  for (int r = 0; r < repeat; ++r) value = a * value + b;
  y[i] = value;
}
