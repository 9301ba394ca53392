/**
 * Signed requests to an S3-compatible store, tried again while the store or the way to it is in trouble.
 * Invariants: every request is one that may be repeated; a body is sent with its SHA-256, so that a store that checks it
 * keeps what was meant; an answer is read to its end. What stays refused throws a sentence.
 */

import { createHash } from "node:crypto";
import { AwsV4Signer } from "aws4fetch";
import type { Clock, Random } from "./ports.ts";
import { xmlTexts } from "./xml_texts.ts";

export interface S3Credentials {
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  readonly sessionToken?: string;
}

export interface S3Place {
  /** Scheme, host and port, without a slash at the end. The bucket is a part of the host or else of the path. */
  readonly endpoint: string;
  readonly bucket: string;
  /** The bucket is the first segment of the path: what stores other than Amazon's expect. */
  readonly pathStyle: boolean;
  readonly region: string;
  /** "" or a folder with a slash at its end, before every name. */
  readonly prefix: string;
}

export interface S3RequestOptions {
  readonly place: S3Place;
  readonly credentials: S3Credentials;
  readonly clock: Clock;
  readonly random: Random;
  /** Longest wait between two tries, ms. Default 5,000. */
  readonly mostWaitMs?: number;
  /** Tries of one request. Default 7: about 12 s of trouble. */
  readonly tries?: number;
  /** Longest one try may take, ms, besides a second for each 256 KB. Default 15,000. */
  readonly tryMs?: number;
}

export interface S3Request {
  readonly method: "GET" | "HEAD" | "PUT" | "POST" | "DELETE";
  /** Below the prefix; "" = the bucket itself. */
  readonly name: string;
  readonly query?: Readonly<Record<string, string>>;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: Uint8Array;
  /** Statuses that are answers besides 2xx. */
  readonly alsoOk?: readonly number[];
  /** Looks for an error in an answer of 200 (CompleteMultipartUpload may send one). */
  readonly mayFailLate?: boolean;
}

export interface S3Answer {
  readonly status: number;
  readonly headers: Headers;
  readonly bytes: Uint8Array;
}

const FIRST_WAIT_MS = 200;
const BYTES_PER_MS = 256;
/** Answers that say "later". */
const LATER = new Set([408, 425, 429, 500, 502, 503, 504]);
/** Codes that come with a 400 and mean the same. */
const LATER_CODES = new Set(["RequestTimeout", "SlowDown", "InternalError", "OperationAborted", "IncompleteBody"]);

export class S3Requests {
  readonly #options: S3RequestOptions;
  readonly #keys = new Map<string, ArrayBuffer>();

  constructor(options: S3RequestOptions) {
    this.#options = options;
  }

  /** Resolves to an answer with a status of 2xx or of `alsoOk`. */
  async send(request: S3Request): Promise<S3Answer> {
    const { clock, random, tries = 7, mostWaitMs = 5000 } = this.#options;
    for (let tried = 1;; tried++) {
      const found = await this.#try(request);
      if (typeof found !== "string" && !isLater(found, request)) return this.#checked(request, found);
      const trouble = typeof found === "string" ? found : told(found);
      if (tried >= tries) throw this.#fault(request, `${trouble}, ${tries} times in a row`);
      const waitMs = Math.min(mostWaitMs, FIRST_WAIT_MS * 2 ** (tried - 1));
      await clock.sleep(waitMs * (0.5 + random.next() / 2));
    }
  }

  #checked(request: S3Request, answer: S3Answer): S3Answer {
    const { status } = answer;
    const isAnswer = request.alsoOk?.includes(status) && codeOf(answer) !== "NoSuchBucket";
    if ((status >= 200 && status < 300) || isAnswer) return answer;
    throw this.#fault(request, told(answer));
  }

  #fault({ method, name }: S3Request, found: string): Error {
    const { bucket, endpoint, prefix } = this.#options.place;
    const object = `s3://${bucket}/${prefix}${name}`;
    return new Error(`${method} ${object} at ${endpoint} failed: found ${found}; a store that keeps it is wanted.`);
  }

  /** One try: the answer, or what kept it from coming. */
  async #try(request: S3Request): Promise<S3Answer | string> {
    const { tryMs = 15_000 } = this.#options;
    const body = request.body;
    const { url, headers } = await this.#signed(request);
    const signal = AbortSignal.timeout(tryMs + Math.ceil((body?.length ?? 0) / BYTES_PER_MS));
    try {
      const reply = await fetch(url, {
        method: request.method,
        headers,
        signal,
        redirect: "manual",
        ...(body === undefined ? {} : { body: body as Uint8Array<ArrayBuffer> }),
      });
      return { status: reply.status, headers: reply.headers, bytes: new Uint8Array(await reply.arrayBuffer()) };
    } catch (error) {
      return causeOf(error);
    }
  }

  #signed({ method, name, query = {}, headers = {}, body }: S3Request) {
    const { place, credentials } = this.#options;
    const root = place.pathStyle ? `${place.endpoint}/${place.bucket}` : place.endpoint;
    const url = new URL(name === "" ? `${root}/` : `${root}/${place.prefix}${name}`);
    for (const [key, value] of Object.entries(query)) url.searchParams.set(key, value);
    const hash = createHash("sha256").update(body ?? "").digest("hex");
    return new AwsV4Signer({
      method,
      url: url.href,
      headers: { ...headers, "x-amz-content-sha256": hash },
      service: "s3",
      region: place.region,
      cache: this.#keys,
      ...credentials,
    }).sign();
  }
}

function isLater(answer: S3Answer, { mayFailLate }: S3Request): boolean {
  if (LATER.has(answer.status)) return true;
  if (answer.status === 200 && mayFailLate) return codeOf(answer) !== undefined;
  return answer.status === 400 && LATER_CODES.has(codeOf(answer) ?? "");
}

function codeOf({ bytes }: S3Answer): string | undefined {
  if (bytes.length === 0 || bytes.length > 64 * 1024) return undefined;
  const text = new TextDecoder().decode(bytes);
  return text.includes("<Error>") ? xmlTexts(text, "Code")[0] : undefined;
}

function told(answer: S3Answer): string {
  const code = codeOf(answer);
  return `status ${answer.status}${code === undefined ? "" : ` (${code})`}`;
}

function causeOf(error: unknown): string {
  const { name, message, cause } = error as Error;
  if (name === "TimeoutError") return "no answer in time";
  return cause instanceof Error ? `"${message}: ${cause.message}"` : `"${message}"`;
}
