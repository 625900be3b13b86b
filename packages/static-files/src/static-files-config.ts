import {
  checked,
  type ConfigInput,
  type ConfigRecord,
  configRecord,
  flag,
  integer,
  optional,
  ResponseHeaders,
  text,
} from "@framework/core/feature";

/** Options of `enableStaticFiles`. */
export interface StaticFilesConfig {
  /** Folder whose files are served; required. A relative path resolves against the working directory. */
  readonly directory: string;
  /** Path prefix of the files; `/` for the whole site. @default "/static" */
  readonly prefix: string;
  /** File that is sent for a folder. @default "index.html" */
  readonly indexFile: string;
  /** Seconds for which clients may cache a file, as `Cache-Control: max-age`. @default 3600 */
  readonly cacheMaxAge: number;
  /** Whether files have an `ETag`. @default true */
  readonly etag: boolean;
  /** Whether files have a `Last-Modified`. @default true */
  readonly lastModified: boolean;
  /** Complete `Cache-Control`; replaces `cacheMaxAge`. @default none */
  readonly cacheControl: string | undefined;
  /** Whether `name.br` and `name.gz` are sent for `name` to clients that accept them. @default true */
  readonly precompressed: boolean;
  /** Whether names that begin with a dot are served. @default false */
  readonly dotFiles: boolean;
  /** Whether a folder without index file gets a listing. @default false */
  readonly directoryListing: boolean;
  /** Additional header fields of every file. @default {} */
  readonly headers: Readonly<Record<string, string>>;
  /** `max-age` in seconds by extension, such as `{ html: 0 }`; replaces `cacheMaxAge` and `cacheControl`. @default {} */
  readonly extensions: Readonly<Record<string, number>>;
}

/** Input of the record: `directory`, and any of the other fields. */
export type StaticFilesInput = ConfigInput<StaticFilesConfig> & { readonly directory: string };

/** Fields that the feature or the transport sets, so `headers` must not contain them. */
const ownFields: ReadonlySet<string> = new Set([
  "accept-ranges",
  "cache-control",
  "connection",
  "content-encoding",
  "content-length",
  "content-range",
  "content-type",
  "date",
  "etag",
  "last-modified",
  "transfer-encoding",
  "vary",
]);

const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null && !Array.isArray(value);

const canBeHeaders = (value: unknown): boolean => {
  if (!isRecord(value) || !Object.values(value).every((text) => typeof text === "string")) return false;
  try {
    const headers = new ResponseHeaders(value as Record<string, string>);
    return [...headers.keys()].every((name) => !ownFields.has(name));
  } catch {
    return false; // the rule reports the expected value
  }
};

const canBeValue = (value: unknown): boolean =>
  typeof value === "string" && value !== "" && canBeHeaders({ "x-value": value });

/** Whether a value is a single name on every file system. */
const isName = (value: unknown): boolean =>
  typeof value === "string" && /^[^/\\:\p{Cc}]{1,255}$/u.test(value) && value !== "." && value !== "..";

const isPrefix = (value: unknown): boolean =>
  value === "/" ||
  (typeof value === "string" &&
    /^(?:\/[^/\\{}*?#%\p{Cc}]+)+$/u.test(value) &&
    !value.split("/").some((segment) => segment === "." || segment === ".."));

const isMaxAge = (value: unknown): boolean => Number.isSafeInteger(value) && (value as number) >= 0;

const isExtensions = (value: unknown): boolean =>
  isRecord(value) &&
  Object.entries(value).every(([name, secs]) => /^\.?[^./\\]{1,32}$/.test(name) && isMaxAge(secs));

/** Validates the options of `enableStaticFiles` and fills in their defaults. */
export const StaticFilesConfig: ConfigRecord<StaticFilesConfig> = configRecord("StaticFilesConfig", {
  directory: text(""),
  prefix: checked("/static", "a path such as /static, without trailing / and without patterns", isPrefix),
  indexFile: checked("index.html", "a file name", isName),
  cacheMaxAge: integer(3600),
  etag: flag(true),
  lastModified: flag(true),
  cacheControl: optional<string>({
    problem: (value) => (canBeValue(value) ? null : "must be a valid header field value"),
  }),
  precompressed: flag(true),
  dotFiles: flag(false),
  directoryListing: flag(false),
  headers: checked<Readonly<Record<string, string>>>(
    {},
    "header fields with their values, except fields that the feature or the transport sets",
    canBeHeaders,
  ),
  extensions: checked<Readonly<Record<string, number>>>(
    {},
    "whole seconds by extension, such as { html: 0 }",
    isExtensions,
  ),
});
