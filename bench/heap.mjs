/** Imported beside the mock by a measurement of its heap: at each message, collects garbage and tells what is left. */
process.on("message", () => {
  // What the first collection finds dead may hold more through finalizers and weak maps.
  for (let time = 0; time < 3; time++) globalThis.gc();
  const { heapUsed, external } = process.memoryUsage();
  process.send(heapUsed + external);
});
process.channel.unref();
