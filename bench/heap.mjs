/** Loaded into the process of the mock to measure its heap. Replies to each message with the bytes left after a collection. */
process.on("message", () => {
  // Finalizers and weak maps may release more memory after the first collection.
  for (let time = 0; time < 3; time++) globalThis.gc();
  const { heapUsed, external } = process.memoryUsage();
  process.send(heapUsed + external);
});
process.channel.unref();
