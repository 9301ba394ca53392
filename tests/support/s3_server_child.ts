/** An S3 server in a process of its own: `FOLDER` keeps the objects. Prints its port, and ends when stdin does. */

import { argv, exit, stdin } from "node:process";

const { default: S3rver } = await import("s3rver" as string);

const server = new S3rver({
  port: 0,
  address: "127.0.0.1",
  silent: true,
  directory: argv[2],
  configureBuckets: [{ name: "archive", configs: [] }],
});
const { port } = await server.run();
console.log(port);
stdin.on("end", () => exit(0)).resume();
