/** The least server that Node can start: CommonJS, no output, one fixed response. The port is BARE_PORT. */
require("node:http")
  .createServer((_request, response) => response.end("{}"))
  .listen(Number(process.env.BARE_PORT), "127.0.0.1");
