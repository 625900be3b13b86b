import { checked, type ConfigRecord, configRecord, integer } from "@framework/core/feature";

/** Content codings of request bodies that can be decoded. */
export type BodyEncoding = "gzip" | "deflate" | "br" | "zstd";

/** Options of `enableBodyLimit`. */
export interface BodyLimitConfig {
  /** Maximum number of bytes in a request body, on the wire and decoded; a route's `maxBodyBytes` overrides it. @default 10485760 */
  readonly maxBodyBytes: number;
  /** Codings that are decoded; any other gets 415. @default [] */
  readonly decode: readonly BodyEncoding[];
  /** Maximum ratio of decoded to encoded size, checked above 1 MiB. @default 100 */
  readonly maxRatio: number;
}

const known: readonly unknown[] = ["gzip", "deflate", "br", "zstd"];

export const BodyLimitConfig: ConfigRecord<BodyLimitConfig> = configRecord("BodyLimitConfig", {
  maxBodyBytes: integer(10_485_760),
  decode: checked<readonly BodyEncoding[]>(
    [],
    "a list of gzip, deflate, br and zstd, without duplicates",
    (value) =>
      Array.isArray(value) &&
      new Set(value).size === value.length &&
      value.every((item) => known.includes(item)),
  ),
  maxRatio: integer(100, { min: 1 }),
});
