import { accepts, namesType } from "@framework/core/http";
import type { PartFormat } from "../graphql-js/in-parts.ts";

const TYPE = "multipart/mixed";
const draft = `${TYPE};incrementalSpec=v0.2`;
const of2022 = `${TYPE};deferSpec=20220824`;

/** Returns the media type of a reply in parts. */
export const partsType = (format: PartFormat): string =>
  format === "draft" ? `${TYPE}; boundary="-"` : `${TYPE}; boundary="-"; deferSpec=20220824`;

/**
 * Returns the format in which a client accepts parts; `null` if its `Accept` lacks multipart/mixed, or has parameters of other protocols. Apollo's
 * clients request a format by `incrementalSpec` or `deferSpec`.
 */
export const partFormat = (accept: string | null): PartFormat | null => {
  if (!namesType(accept, TYPE)) return null;
  const isOf2022 = /;\s*deferspec\s*=/i.test(accept ?? "") && accepts(accept, of2022);
  if (isOf2022) return "2022";
  return accepts(accept, draft) ? "draft" : null;
};

/**
 * Returns the parts as a multipart body. Each is followed by a boundary, so a client can read it before the next one arrives. Not a generator, because its
 * `return()` would wait for the part that is being executed.
 *
 * @see https://github.com/graphql/graphql-over-http/blob/main/rfcs/IncrementalDelivery.md
 */
export const multipart = (first: string, others: AsyncIterator<string>): AsyncIterableIterator<string> => {
  let isFirst = true;
  let hasEnded = false;
  const body: AsyncIterableIterator<string> = {
    [Symbol.asyncIterator]: () => body,
    async next() {
      if (isFirst) {
        isFirst = false;
        return { value: `\r\n---${partOf(first)}` };
      }
      if (hasEnded) return { done: true, value: undefined };
      const { done, value } = await others.next();
      hasEnded = done === true;
      return { value: hasEnded ? "--\r\n" : partOf(value) };
    },
    async return() {
      hasEnded = true;
      await others.return?.();
      return { done: true, value: undefined };
    },
  };
  return body;
};

const partOf = (text: string): string =>
  `\r\nContent-Type: application/json; charset=utf-8\r\n\r\n${text}\r\n---`;
