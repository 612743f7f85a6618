/** Returns a body that ends when `finish` is called. `isRead` resolves when the server reads the body. */
export function slowBody(text: string) {
  const bytes = new TextEncoder().encode(text);
  const gate = Promise.withResolvers<void>();
  const started = Promise.withResolvers<void>();
  const body = new ReadableStream<Uint8Array>({
    start: (controller) => controller.enqueue(bytes.subarray(0, 1)),
    async pull(controller) {
      started.resolve();
      await gate.promise;
      controller.enqueue(bytes.subarray(1));
      controller.close();
    },
  });
  return { body, finish: gate.resolve, isRead: started.promise };
}
