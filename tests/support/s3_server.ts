/**
 * S3-compatible servers for tests: s3rver always, MinIO where it is installed, and whatever S3_TEST_ENDPOINT names.
 * Invariant: `stop` resolves when the process has gone, and its folder too; it ends with this process, however that ends.
 */

import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { createServer } from "node:net";
import type { AddressInfo } from "node:net";
import process from "node:process";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { systemClock, systemRandom } from "../../runtime/node.ts";
import { type S3Credentials, type S3Place, S3Requests } from "../../runtime/s3_requests.ts";
import { temporaryFolder } from "./temporary.ts";
import { runArguments } from "./web_server.ts";

export interface S3Server {
  /** Its bucket exists; the prefix is empty. */
  readonly place: S3Place;
  readonly credentials: S3Credentials;
  stop(): Promise<void>;
}

export interface S3Kind {
  readonly name: string;
  /** Why it can't be had here; undefined when it can. */
  readonly absent: string | undefined;
  start(): Promise<S3Server>;
}

const BUCKET = "archive";
const CHILD = fileURLToPath(new URL("./s3_server_child.ts", import.meta.url));

const placeAt = (endpoint: string, bucket = BUCKET): S3Place => ({
  endpoint,
  bucket,
  pathStyle: true,
  region: process.env.AWS_REGION ?? "us-east-1",
  prefix: "",
});

async function gone(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const end = once(child, "close");
  child.stdin?.end();
  child.kill("SIGKILL");
  await end;
}

async function startS3rver(): Promise<S3Server> {
  const folder = temporaryFolder();
  const { execPath } = process;
  const child = spawn(execPath, [...runArguments(execPath, CHILD), folder.path], {
    stdio: ["pipe", "pipe", "inherit"],
  });
  const lines = createInterface(child.stdout!);
  const [port] = await once(lines, "line");
  lines.close();
  return {
    place: placeAt(`http://127.0.0.1:${port}`),
    credentials: { accessKeyId: "S3RVER", secretAccessKey: "S3RVER" },
    stop: async () => {
      await gone(child);
      await folder.remove();
    },
  };
}

const minio = [process.env.MINIO ?? "minio", `${process.env.HOME}/go/bin/minio`].find((path) =>
  path.includes("/") ? existsSync(path) : spawnSync(path, ["--version"]).status === 0
);

async function freePort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
}

async function startMinio(): Promise<S3Server> {
  const folder = temporaryFolder();
  const credentials = { accessKeyId: "outrider-test", secretAccessKey: "outrider-test" };
  const address = `127.0.0.1:${await freePort()}`;
  const child = spawn(minio!, [
    "server",
    folder.path,
    "--address",
    address,
    "--console-address",
    "127.0.0.1:0",
    "--quiet",
  ], {
    stdio: ["ignore", "ignore", "ignore"],
    env: {
      ...process.env,
      MINIO_ROOT_USER: credentials.accessKeyId,
      MINIO_ROOT_PASSWORD: credentials.secretAccessKey,
      MINIO_BROWSER: "off",
      MINIO_UPDATE: "off",
    },
  });
  const place = placeAt(`http://${address}`);
  await makeBucket(place, credentials);
  return {
    place,
    credentials,
    stop: async () => {
      await gone(child);
      await folder.remove();
    },
  };
}

/** Tried until the server listens. */
async function makeBucket(place: S3Place, credentials: S3Credentials): Promise<void> {
  const requests = new S3Requests({ place, credentials, clock: systemClock, random: systemRandom, tries: 20 });
  await requests.send({ method: "PUT", name: "", alsoOk: [409] });
}

async function startNamed(): Promise<S3Server> {
  const { S3_TEST_ENDPOINT, S3_TEST_BUCKET = BUCKET, AWS_ACCESS_KEY_ID = "", AWS_SECRET_ACCESS_KEY = "" } = process.env;
  const place = placeAt(S3_TEST_ENDPOINT!.replace(/\/$/, ""), S3_TEST_BUCKET);
  const credentials = { accessKeyId: AWS_ACCESS_KEY_ID, secretAccessKey: AWS_SECRET_ACCESS_KEY };
  await makeBucket(place, credentials);
  const prefix = `test-${systemRandom.hex(6)}/`;
  return { place: { ...place, prefix }, credentials, stop: () => Promise.resolve() };
}

export const S3_KINDS: readonly S3Kind[] = [
  { name: "s3rver", absent: undefined, start: startS3rver },
  { name: "MinIO", absent: minio === undefined ? "MinIO isn't installed" : undefined, start: startMinio },
  {
    name: "S3_TEST_ENDPOINT",
    absent: process.env.S3_TEST_ENDPOINT === undefined ? "S3_TEST_ENDPOINT names none" : undefined,
    start: startNamed,
  },
];
