import { configRecord, type ConfigRecord } from "../config/config-record.ts";
import { integer } from "../config/field-rules.ts";

/** Limits of one multipart form; beyond any of them the reply is 413. */
export interface MultipartLimits {
  /** Fields and files together. @default 100 */
  readonly maxParts: number;
  /** Bytes of the whole body. @default 52428800 (50 MiB) */
  readonly maxTotalBytes: number;
  /** Bytes of one part's header fields. @default 8192 */
  readonly maxPartHeadBytes: number;
  /** Bytes of a field's name, and of a file's name. @default 255 */
  readonly maxNameBytes: number;
  /** Bytes of a text field. @default 1048576 (1 MiB) */
  readonly maxFieldBytes: number;
  /** Bytes of a file. @default 10485760 (10 MiB) */
  readonly maxFileBytes: number;
}

export const MultipartLimits: ConfigRecord<MultipartLimits> = configRecord("MultipartLimits", {
  maxParts: integer(100, { min: 1, max: 10_000 }),
  maxTotalBytes: integer(52_428_800, { min: 1 }),
  maxPartHeadBytes: integer(8192, { min: 64, max: 1_048_576 }),
  maxNameBytes: integer(255, { min: 1, max: 65_536 }),
  maxFieldBytes: integer(1_048_576),
  maxFileBytes: integer(10_485_760),
});
