import { HttpError } from "../errors/http-error.ts";
import { NotFoundError } from "../errors/http-errors.ts";
import { nodeBuiltin } from "../runtime/node-builtins.ts";
import { type ByteRange, byteRanges } from "../http/byte-ranges.ts";
import { fileValidators, validatorFields } from "../http/file-validators.ts";
import {
  type ConditionalRequest,
  ifRangeHolds,
  precondition,
  type Validators,
} from "../http/preconditions.ts";
import { ByteChunks } from "./byte-stream.ts";
import { attachment } from "../http/content-disposition.ts";
import { FileChunks, type OpenFile } from "./file-chunks.ts";
import { headerValue } from "./header-rules.ts";
import { checkedOptions } from "./response-options.ts";
import { mediaTypeOf } from "../http/media-type-of.ts";
import { BodyStream, type Payload, utf8Length } from "../exchange/payload.ts";

/** Options of a file reply. */
export interface FileOptions {
  /** Media type. @default by the extension of the path, else `application/octet-stream` */
  readonly contentType?: string;
}

/** Options of a download. */
export interface DownloadOptions extends FileOptions {
  /** File name for the client. @default the last segment of the path */
  readonly filename?: string;
}

/** Status, fields and body of a reply with a file. */
export interface FileReply {
  readonly status: number;
  /** `null` for a reply without a body. */
  readonly contentType: string | null;
  readonly headers: Readonly<Record<string, string>>;
  readonly payload: Payload;
}

interface SizedFile {
  readonly file: OpenFile;
  readonly size: number;
  readonly validators: Validators;
}

/** Selects the parts of a file: the request, or the value of its `Range` alone, without conditions. */
export type RangeRequest = ConditionalRequest | string | null | undefined;

/** Opens a complete file. @throws NotFoundError when there is no regular file; CORE_BAD_HEADER for an invalid `contentType`; CORE_BAD_ARGUMENT for options that are not an object; CORE_NEEDS_NODE */
export const wholeFile = async (path: string | URL, options: FileOptions = {}): Promise<FileReply> => {
  const contentType = typeOf(path, checkedOptions(options));
  return completeReply(await open(path), contentType, {});
};

/** Opens a complete file as a download (RFC 6266). @throws the same errors as `wholeFile` */
export const downloadedFile = async (
  path: string | URL,
  options: DownloadOptions = {},
): Promise<FileReply> => {
  const disposition = attachment(
    checkedOptions(options).filename ?? nodeBuiltin("node:path").basename(pathOf(path)),
  );
  const contentType = typeOf(path, options);
  return completeReply(await open(path), contentType, { "content-disposition": disposition });
};

/**
 * Opens the parts of a file that a `Range` field requests (RFC 9110 14): 206 with one part or `multipart/byteranges`, otherwise 200 with the complete file. The
 * conditions of a request are evaluated first, in the order of RFC 9110 13.2.2: 304 if the client has the file, the complete file if `If-Range` does not match.
 *
 * @throws HttpError 412 when a condition fails, 416 when the file has none of the parts; the errors of `wholeFile`
 */
export const rangesOfFile = async (
  path: string | URL,
  request: RangeRequest,
  options: FileOptions = {},
): Promise<FileReply> => {
  const contentType = typeOf(path, checkedOptions(options));
  const opened = await open(path);
  try {
    return await rangeReply(opened, request, contentType);
  } catch (error) {
    await opened.file.close();
    throw error;
  }
};

const rangeReply = async (
  opened: SizedFile,
  request: RangeRequest,
  contentType: string,
): Promise<FileReply> => {
  const { file, size, validators } = opened;
  const state = isConditional(request) ? precondition(request, validators) : "proceed";
  if (state === "failed") throw new HttpError(412, "The file does not match the condition of the request");
  if (state === "not-modified") {
    await file.close();
    return { status: 304, contentType: null, headers: fieldsOf(opened), payload: null };
  }
  const ranges = byteRanges(rangeOf(request, validators), size);
  if (ranges === "whole") return completeReply(opened, contentType, acceptRanges);
  if (ranges === "unsatisfiable") throw unsatisfiable(size);
  const [range, ...others] = ranges;
  if (range === undefined || others.length > 0) return multipart(opened, contentType, ranges);
  const headers = { ...fieldsOf(opened), ...acceptRanges, "content-range": contentRange(range, size) };
  return { status: 206, contentType, headers, payload: body(file, [range]) };
};

const acceptRanges = { "accept-ranges": "bytes" };

const isConditional = (request: RangeRequest): request is ConditionalRequest =>
  typeof request === "object" && request !== null;

/** Returns the `Range` that applies: only of GET, and only if `If-Range` matches the current file. */
const rangeOf = (request: RangeRequest, validators: Validators): string | null | undefined => {
  if (!isConditional(request)) return request;
  return request.method === "GET" && ifRangeHolds(request, validators) ? request.getHeader("range") : null;
};

const fieldsOf = ({ validators }: SizedFile): Record<string, string> => validatorFields(validators);

const completeReply = async (
  opened: SizedFile,
  contentType: string,
  further: Readonly<Record<string, string>>,
): Promise<FileReply> => {
  const { file, size } = opened;
  const headers = { ...fieldsOf(opened), ...further };
  if (size > 0)
    return { status: 200, contentType, headers, payload: body(file, [{ start: 0, end: size - 1 }]) };
  await file.close();
  return { status: 200, contentType, headers, payload: new Uint8Array() };
};

const unsatisfiable = (size: number): HttpError =>
  new HttpError(416, "The file has no bytes in the requested range", {
    headers: { ...acceptRanges, "content-range": `bytes */${size}` },
  });

const multipart = (opened: SizedFile, contentType: string, ranges: readonly ByteRange[]): FileReply => {
  const { file, size } = opened;
  const boundary = crypto.randomUUID();
  const parts = ranges.flatMap((range, index) => [
    `${index === 0 ? "" : "\r\n"}--${boundary}\r\ncontent-type: ${contentType}\r\ncontent-range: ${contentRange(range, size)}\r\n\r\n`,
    range,
  ]);
  const payload = body(file, [...parts, `\r\n--${boundary}--\r\n`]);
  return {
    status: 206,
    contentType: `multipart/byteranges; boundary=${boundary}`,
    headers: { ...fieldsOf(opened), ...acceptRanges },
    payload,
  };
};

const contentRange = ({ start, end }: ByteRange, size: number): string => `bytes ${start}-${end}/${size}`;

const body = (file: OpenFile, parts: readonly (ByteRange | string)[]): BodyStream => {
  const length = parts.reduce(
    (sum, part) => sum + (typeof part === "string" ? utf8Length(part) : part.end - part.start + 1),
    0,
  );
  return new BodyStream(new ByteChunks(new FileChunks(file, parts)), length);
};

const absentCodes = new Set([
  "ENOENT",
  "ENOTDIR",
  "EISDIR",
  "ELOOP",
  "ENAMETOOLONG",
  "ENXIO",
  "ERR_INVALID_ARG_VALUE",
]);

/** Opens first and checks the open file, so that it cannot be replaced in between. `O_NONBLOCK`, because opening a pipe would block. */
const open = async (path: string | URL): Promise<SizedFile> => {
  const { constants } = nodeBuiltin("node:fs");
  const flags = constants.O_RDONLY | (constants.O_NONBLOCK ?? 0);
  const handle = await nodeBuiltin("node:fs/promises").open(path, flags).catch(notFound);
  try {
    const stats = await handle.stat({ bigint: true });
    if (!stats.isFile()) throw new NotFoundError("The file does not exist");
    const size = Number(stats.size);
    const validators = fileValidators({ size, changedNs: stats.mtimeNs, nowMs: Date.now() });
    return { file: handle, size, validators };
  } catch (error) {
    await handle.close();
    throw error;
  }
};

const notFound = (error: unknown): never => {
  if (absentCodes.has(String((error as { code?: unknown }).code))) {
    throw new NotFoundError("The file does not exist", { cause: error });
  }
  throw error;
};

/** Checked before the file is opened: an error later would leak the handle. */
const typeOf = (path: string | URL, { contentType = mediaTypeOf(pathOf(path)) }: FileOptions): string =>
  headerValue("content-type", contentType);

const pathOf = (path: string | URL): string =>
  typeof path === "string" ? path : nodeBuiltin("node:url").fileURLToPath(path);
