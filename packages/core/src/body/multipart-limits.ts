import { configRecord, type ConfigRecord } from "../config/config-record.ts";
import { integer } from "../config/field-rules.ts";

/** Limits of one multipart form; a form above one of them gets 413. */
export interface MultipartLimits {
  /** Maximum number of fields and files together. @default 100 */
  readonly maxParts: number;
  /** Maximum bytes of the whole body. @default 52428800 (50 MiB) */
  readonly maxTotalBytes: number;
  /** Maximum bytes of one part's header fields. @default 8192 */
  readonly maxPartHeadBytes: number;
  /** Maximum bytes of a field name and of a file name. @default 255 */
  readonly maxNameBytes: number;
  /** Maximum bytes of a text field. @default 1048576 (1 MiB) */
  readonly maxFieldBytes: number;
  /** Maximum bytes of a file. @default 10485760 (10 MiB) */
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
