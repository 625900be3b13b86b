import { checked, type ConfigRecord, configRecord, integer } from "@framework/core/feature";

/** Content codings of request bodies that can be decoded. */
export type BodyEncoding = "gzip" | "deflate" | "br" | "zstd";

/** What `enableBodyLimit` may be told. */
export interface BodyLimitConfig {
  /** Bytes that a request body may have, on the wire and decoded; a route's `maxBodyBytes` goes before it. @default 10485760 */
  readonly maxBodyBytes: number;
  /** Codings that are decoded; a body in any other is refused with 415. @default [] */
  readonly decode: readonly BodyEncoding[];
  /** How many times its coded size a body may have decoded, counted above 1 MiB. @default 100 */
  readonly maxRatio: number;
}

const known: readonly unknown[] = ["gzip", "deflate", "br", "zstd"];

export const BodyLimitConfig: ConfigRecord<BodyLimitConfig> = configRecord("BodyLimitConfig", {
  maxBodyBytes: integer(10_485_760),
  decode: checked<readonly BodyEncoding[]>(
    [],
    "a list of some of gzip, deflate, br and zstd, each once",
    (value) =>
      Array.isArray(value) &&
      new Set(value).size === value.length &&
      value.every((item) => known.includes(item)),
  ),
  maxRatio: integer(100, { min: 1 }),
});
