import type { Response } from "@framework/core";

/** Types whose bodies shrink: text and its relatives. Images, videos and archives are compressed by themselves. */
const TEXTUAL =
  /^(?:text\/.+|application\/(?:json|javascript|ecmascript|xml|graphql|x-javascript|manifest\+json|openmetrics-text)|image\/svg\+xml|.+\+(?:json|xml))$/;

/** Whether another client might get this reply in a coding: by its type, and by what it says of itself. */
export const isCompressible = ({ headers, status }: Response): boolean => {
  if (status === 206 || headers.has("content-encoding") || headers.has("content-range")) return false;
  if (/(?:^|[\s,])no-transform(?:$|[\s,])/i.test(headers.get("cache-control") ?? "")) return false;
  if (status === 304) return true; // it stands for a reply that may have been coded
  const [type = ""] = (headers.get("content-type") ?? "").split(";", 1);
  return TEXTUAL.test(type.trim().toLowerCase());
};

/** Whether there is a whole body that has no coding yet. */
export const canBeCoded = ({ status, payload, headers }: Response): boolean =>
  payload !== null && !bare.includes(status) && !headers.has("content-encoding");

/** Without a body, or with a part of one, whose place within the coded whole nobody could tell. */
const bare: readonly number[] = [101, 204, 205, 206, 304];
