/**
 * The blob store on an S3-compatible service (docs/adr/0024).
 * Invariants: an object is there whole or not at all: small ones in one PUT, others by parts that become an object only
 * when all are there; what fails half-way is aborted. Memory is one part, whatever the object's size.
 */

import { createHash, type Hash } from "node:crypto";
import { checkedName } from "./blob_names.ts";
import { concat } from "./node.ts";
import type { SharedBlobs } from "./ports.ts";
import { type S3RequestOptions, S3Requests } from "./s3_requests.ts";
import { xmlTexts } from "./xml_texts.ts";

export interface S3BlobOptions extends S3RequestOptions {
  /** Objects up to this size are one PUT; larger ones come in parts of it. At least 5 MiB, S3's least. Default 16 MiB. */
  readonly partBytes?: number;
}

/** A WARC segment is one PUT. */
const PART_BYTES = 16 * 1024 * 1024;

export function s3Blobs(options: S3BlobOptions): SharedBlobs {
  const store = new S3Store(options);
  return {
    put: (name, bytes) => store.put(name, one(bytes)),
    get: (name) => store.get(name),
    remove: (name) => store.remove(name),
    putChunks: (name, chunks) => store.put(name, chunks),
    range: (name, offset, length) => store.range(name, offset, length),
    size: (name) => store.size(name),
    list: (folder) => store.list(folder),
  };
}

async function* one(bytes: Uint8Array): AsyncIterable<Uint8Array> {
  yield bytes;
}

interface Upload {
  readonly uploadId: string;
  /** ETags of the parts that are there. */
  readonly tags: string[];
  bytes: number;
  readonly md5: Hash;
}

class S3Store {
  readonly #requests: S3Requests;
  readonly #prefix: string;
  readonly #partBytes: number;

  constructor(options: S3BlobOptions) {
    this.#requests = new S3Requests(options);
    this.#prefix = options.place.prefix;
    this.#partBytes = options.partBytes ?? PART_BYTES;
  }

  async get(unchecked: string): Promise<Uint8Array | undefined> {
    const name = checkedName(unchecked);
    const { status, bytes } = await this.#requests.send({ method: "GET", name, alsoOk: [404] });
    return status === 404 ? undefined : bytes;
  }

  async range(unchecked: string, offset: number, length: number): Promise<Uint8Array | undefined> {
    const name = checkedName(unchecked);
    if (length === 0) return await this.size(name) === undefined ? undefined : new Uint8Array(0);
    const headers = { range: `bytes=${offset}-${offset + length - 1}` };
    const answer = await this.#requests.send({ method: "GET", name, headers, alsoOk: [404, 416] });
    if (answer.status === 404) return undefined;
    if (answer.status === 416) return new Uint8Array(0);
    // 200, or more than was asked for: there are stores that know no ranges, or not all of them.
    const from = Number(/^bytes (\d+)-/.exec(answer.headers.get("content-range") ?? "")?.[1] ?? 0);
    return answer.bytes.subarray(Math.max(0, offset - from), Math.max(0, offset - from) + length);
  }

  async size(unchecked: string): Promise<number | undefined> {
    const name = checkedName(unchecked);
    const { status, headers } = await this.#requests.send({ method: "HEAD", name, alsoOk: [404] });
    return status === 404 ? undefined : Number(headers.get("content-length"));
  }

  async remove(unchecked: string): Promise<void> {
    await this.#requests.send({ method: "DELETE", name: checkedName(unchecked), alsoOk: [404] });
  }

  async list(folder: string): Promise<string[]> {
    const below = `${this.#prefix}${checkedName(folder)}/`;
    const names: string[] = [];
    for (let token: string | undefined = "";;) {
      const page = { "list-type": "2", prefix: below, delimiter: "/" };
      const query: Record<string, string> = token === "" ? page : { ...page, "continuation-token": token };
      const { bytes } = await this.#requests.send({ method: "GET", name: "", query });
      const xml = new TextDecoder().decode(bytes);
      names.push(...xmlTexts(xml, "Key").filter((key) => key !== below).map((key) => key.slice(this.#prefix.length)));
      token = xmlTexts(xml, "NextContinuationToken")[0];
      if (token === undefined || token === "") return names.sort();
    }
  }

  async put(unchecked: string, chunks: AsyncIterable<Uint8Array>): Promise<void> {
    const name = checkedName(unchecked);
    const parts = inParts(chunks, this.#partBytes);
    const first = await parts.next();
    const second = await parts.next();
    if (second.done) return await this.#putWhole(name, first.value ?? new Uint8Array(0));
    const uploadId = await this.#begin(name);
    const upload = { uploadId, tags: [] as string[], bytes: 0, md5: createHash("md5") };
    try {
      await this.#putPart(name, upload, first.value!);
      for (let part: IteratorResult<Uint8Array, undefined> = second; !part.done; part = await parts.next()) {
        await this.#putPart(name, upload, part.value);
      }
      await this.#complete(name, upload);
    } catch (error) {
      await this.#abort(name, uploadId);
      throw error;
    }
  }

  async #putWhole(name: string, body: Uint8Array): Promise<void> {
    await this.#requests.send({ method: "PUT", name, body });
  }

  async #begin(name: string): Promise<string> {
    const { bytes } = await this.#requests.send({ method: "POST", name, query: { uploads: "" } });
    const [uploadId] = xmlTexts(new TextDecoder().decode(bytes), "UploadId");
    if (uploadId !== undefined && uploadId !== "") return uploadId;
    throw new Error(`Beginning an upload of ${name} failed: the store's answer has no UploadId, one is wanted.`);
  }

  async #putPart(name: string, upload: Upload, body: Uint8Array): Promise<void> {
    const { uploadId, tags, md5 } = upload;
    const query = { partNumber: String(tags.length + 1), uploadId };
    const { headers } = await this.#requests.send({ method: "PUT", name, query, body });
    tags.push(headers.get("etag") ?? "");
    upload.bytes += body.length;
    md5.update(body);
  }

  /** Asked twice, since its answer was lost, it may have been done the first time: the upload is gone, the object there. */
  async #complete(name: string, upload: Upload): Promise<void> {
    const { uploadId, tags } = upload;
    const parts = tags.map((tag, i) => `<Part><PartNumber>${i + 1}</PartNumber><ETag>${escaped(tag)}</ETag></Part>`);
    const body = new TextEncoder().encode(`<CompleteMultipartUpload>${parts.join("")}</CompleteMultipartUpload>`);
    try {
      await this.#requests.send({ method: "POST", name, query: { uploadId }, body, mayFailLate: true });
    } catch (error) {
      if (!await this.#isThere(name, upload)) throw error;
    }
  }

  /** The object is the one of these parts: its ETag ends with their number, or is the MD5 of all, as stores differ. */
  async #isThere(name: string, { bytes, md5, tags }: Upload): Promise<boolean> {
    const { status, headers } = await this.#requests.send({ method: "HEAD", name, alsoOk: [404] });
    if (status === 404 || Number(headers.get("content-length")) !== bytes) return false;
    const tag = (headers.get("etag") ?? "").replaceAll('"', "");
    return tag.endsWith(`-${tags.length}`) || tag === md5.digest("hex");
  }

  async #abort(name: string, uploadId: string): Promise<void> {
    await this.#requests.send({ method: "DELETE", name, query: { uploadId }, alsoOk: [404] }).catch(() => {});
  }
}

function escaped(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll('"', "&quot;");
}

/** The same bytes in parts of `partBytes`, the last one shorter; none for none. */
async function* inParts(chunks: AsyncIterable<Uint8Array>, partBytes: number): AsyncGenerator<Uint8Array, undefined> {
  let gathered: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of chunks) {
    for (let at = 0; at < chunk.length;) {
      const piece = chunk.subarray(at, at + partBytes - bytes);
      gathered.push(piece);
      bytes += piece.length;
      at += piece.length;
      if (bytes < partBytes) continue;
      yield gathered.length === 1 ? piece : concat(gathered, bytes);
      gathered = [];
      bytes = 0;
    }
  }
  if (bytes > 0) yield concat(gathered, bytes);
  return undefined;
}
