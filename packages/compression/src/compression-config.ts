import { checked, type ConfigRecord, configRecord, flag, integer } from "@framework/core/feature";

/** Content codings that the feature can make. */
export type Encoding = "gzip" | "br" | "zstd";

/** What `enableCompression` may be told. */
export interface CompressionConfig {
  /** Bytes that a body must have to be worth it. @default 1024 */
  readonly minSize: number;
  /** Codings on offer; of those that a client likes equally the first is taken. @default ["gzip"] */
  readonly encodings: readonly Encoding[];
  /** Whether bodies of unknown length are coded too, each chunk sent at once. @default false */
  readonly streams: boolean;
  /** From 1, fast, to 9, small. @default 6 */
  readonly gzipLevel: number;
  /** From 0, fast, to 11, small; above 6 far too slow for replies made on the spot. @default 4 */
  readonly brotliQuality: number;
  /** From 1, fast, to 19, small. @default 3 */
  readonly zstdLevel: number;
}

const known: readonly unknown[] = ["gzip", "br", "zstd"];

export const CompressionConfig: ConfigRecord<CompressionConfig> = configRecord("CompressionConfig", {
  minSize: integer(1024),
  encodings: checked(
    ["gzip"],
    "a list of some of gzip, br and zstd, each once",
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
