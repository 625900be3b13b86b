import type { Problem } from "@framework/core";
import {
  checked,
  type ConfigInput,
  type ConfigRecord,
  configRecord,
  flag,
  integer,
  unusedFields,
} from "@framework/core/feature";

/** Content codings that the feature supports. */
export type Encoding = "gzip" | "br" | "zstd";

/** Options of `enableCompression`. */
export interface CompressionConfig {
  /** Minimum number of bytes in a body. @default 1024 */
  readonly minSize: number;
  /** Offered codings; among codings with equal weight in `Accept-Encoding` the first is used. @default ["gzip"] */
  readonly encodings: readonly Encoding[];
  /** Whether bodies of unknown length are also compressed, with a flush after each chunk. @default false */
  readonly streams: boolean;
  /** Level of gzip, 1 (fast) to 9 (small). @default 6 */
  readonly gzipLevel: number;
  /** Quality of Brotli, 0 (fast) to 11 (small); above 6 is too slow for dynamic replies. @default 4 */
  readonly brotliQuality: number;
  /** Level of Zstandard, 1 (fast) to 19 (small). @default 3 */
  readonly zstdLevel: number;
}

const known: readonly unknown[] = ["gzip", "br", "zstd"];

/** Validates the options of `enableCompression` and fills in their defaults. */
export const CompressionConfig: ConfigRecord<CompressionConfig> = configRecord("CompressionConfig", {
  minSize: integer(1024),
  encodings: checked(
    ["gzip"],
    "a list of gzip, br and zstd, without duplicates",
    (value) =>
      Array.isArray(value) &&
      value.length > 0 &&
      new Set(value).size === value.length &&
      value.every((item) => known.includes(item)),
  ),
  streams: flag(false),
  gzipLevel: integer(6, { min: 1, max: 9 }),
  brotliQuality: integer(4, { min: 0, max: 11 }),
  zstdLevel: integer(3, { min: 1, max: 19 }),
});

const levels = { gzip: "gzipLevel", br: "brotliQuality", zstd: "zstdLevel" } as const;

/** Returns a problem for each level of a coding that is not offered. */
export const levelProblems = (
  { encodings }: CompressionConfig,
  input: ConfigInput<CompressionConfig> | undefined,
): Problem[] =>
  Object.entries(levels).flatMap(([coding, level]) =>
    encodings.includes(coding as Encoding) || encodings !== (input?.encodings ?? encodings) // an invalid list has the default value
      ? []
      : unusedFields(CompressionConfig, input, [level], `"${coding}" in encodings`),
  );
