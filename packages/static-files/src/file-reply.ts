import { addVary } from "@framework/core/feature";
import {
  type ByteRange,
  byteRanges,
  fileValidators,
  ifRangeHolds,
  precondition,
  validatorFields,
  type Validators,
} from "@framework/core/http";
import { HttpError, type HttpRequest, Response } from "@framework/core";
import { type BodyPart, fileBody } from "./file-body.ts";
import type { OpenedFile } from "./opened-file.ts";

/** Metadata of a file in a reply. */
export interface FileFacts {
  readonly contentType: string;
  /** Content coding of its bytes. */
  readonly coding: string | null;
  readonly cacheControl: string;
  /** Whether the reply depends on `Accept-Encoding`. */
  readonly varies: boolean;
  /** Additional header fields. */
  readonly headers: Readonly<Record<string, string>>;
  readonly etag: boolean;
  readonly lastModified: boolean;
  /** Current time in Unix milliseconds; a later modification time is omitted. */
  readonly nowMs: number;
}

/**
 * Returns the reply to a GET or HEAD request for an open file: the file, the requested ranges (RFC 9110 14), or 304 (RFC 9110 13.2.2). The file is always
 * closed.
 *
 * @throws HttpError 412 when the client's condition fails, 416 when every requested range is beyond the end
 */
export const fileReply = async (
  request: HttpRequest,
  file: OpenedFile,
  facts: FileFacts,
): Promise<Response> => {
  try {
    const validators = validatorsOf(file, facts);
    const state = precondition(request, validators);
    if (state === "failed") throw new HttpError(412, "The file does not match the condition of the request");
    const response = withFields(validators, facts);
    if (state === "not-modified") {
      await file.close();
      return notModified(response);
    }
    const ranges = rangesFor(request, file, validators);
    return ranges === null
      ? await wholeReply(response, file, facts)
      : await partialReply(response, file, facts, ranges);
  } catch (error) {
    await file.close();
    throw error;
  }
};

const validatorsOf = (
  { size, changedNs }: OpenedFile,
  { coding, etag, lastModified, nowMs }: FileFacts,
): Validators => {
  const known = fileValidators({ size, changedNs, nowMs, coding });
  return {
    ...known,
    etag: etag ? known.etag : null,
    lastModifiedMs: lastModified ? known.lastModifiedMs : null,
  };
};

const withFields = (validators: Validators, facts: FileFacts): Response => {
  const response = new Response();
  const { headers } = response;
  headers.set("cache-control", facts.cacheControl);
  for (const [name, value] of Object.entries({ ...validatorFields(validators), ...facts.headers }))
    headers.set(name, value);
  if (facts.varies) addVary(headers, "Accept-Encoding");
  return response;
};

const notModified = (response: Response): Response => {
  response.status = 304;
  return response;
};

/** The ranges to send; `null` for the whole file. @throws HttpError 416 */
const rangesFor = (
  request: HttpRequest,
  { size }: OpenedFile,
  validators: Validators,
): readonly ByteRange[] | null => {
  const field = request.method === "GET" ? request.getHeader("range") : null;
  if (field === null || !ifRangeHolds(request, validators)) return null;
  const ranges = byteRanges(field, size);
  if (ranges === "whole") return null;
  if (ranges !== "unsatisfiable") return ranges;
  throw new HttpError(416, `The range is beyond the end of ${size} bytes`, {
    headers: { "accept-ranges": "bytes", "content-range": `bytes */${size}` },
  });
};

/** HEAD has the same body as GET, because other features derive fields from it, such as `Content-Encoding`; the transport does not send it. */
const wholeReply = async (
  response: Response,
  file: OpenedFile,
  { contentType, coding }: FileFacts,
): Promise<Response> => {
  const parts = file.size === 0 ? [] : [{ start: 0, end: file.size - 1 }];
  response.headers.set("content-type", contentType);
  response.headers.set("accept-ranges", "bytes");
  if (coding !== null) response.headers.set("content-encoding", coding);
  response.payload = await fileBody(file, parts);
  return response;
};

const partialReply = async (
  response: Response,
  file: OpenedFile,
  { contentType, coding }: FileFacts,
  ranges: readonly ByteRange[],
): Promise<Response> => {
  const [range, ...others] = ranges;
  const { headers } = response;
  response.status = 206;
  headers.set("accept-ranges", "bytes");
  if (coding !== null) headers.set("content-encoding", coding);
  if (range !== undefined && others.length === 0) {
    headers.set("content-type", contentType);
    headers.set("content-range", contentRange(range, file.size));
    response.payload = await fileBody(file, [range]);
    return response;
  }
  const boundary = crypto.randomUUID();
  headers.set("content-type", `multipart/byteranges; boundary=${boundary}`);
  response.payload = await fileBody(file, multipart(ranges, file.size, contentType, boundary));
  return response;
};

/** Returns the parts of a `multipart/byteranges` body (RFC 9110 14.6), each with its type and range. */
const multipart = (
  ranges: readonly ByteRange[],
  size: number,
  contentType: string,
  boundary: string,
): readonly BodyPart[] => {
  const encoder = new TextEncoder();
  const parts = ranges.flatMap((range, index): BodyPart[] => {
    const start = index === 0 ? "" : "\r\n";
    const fields = `content-type: ${contentType}\r\ncontent-range: ${contentRange(range, size)}`;
    return [encoder.encode(`${start}--${boundary}\r\n${fields}\r\n\r\n`), range];
  });
  return [...parts, encoder.encode(`\r\n--${boundary}--\r\n`)];
};

const contentRange = ({ start, end }: ByteRange, size: number): string => `bytes ${start}-${end}/${size}`;
