import type protobuf from "protobufjs";
import { protobufjs } from "../libraries.ts";
import type { StatusDetail } from "./status-detail.ts";

/** Messages of the google.rpc error model, with the field numbers of their published `.proto` files. */
const messages = {
  nested: {
    Any: { fields: { typeUrl: { type: "string", id: 1 }, value: { type: "bytes", id: 2 } } },
    Duration: { fields: { seconds: { type: "int64", id: 1 }, nanos: { type: "int32", id: 2 } } },
    Status: {
      fields: {
        code: { type: "int32", id: 1 },
        message: { type: "string", id: 2 },
        details: { rule: "repeated", type: "Any", id: 3 },
      },
    },
    BadRequest: { fields: { fieldViolations: { rule: "repeated", type: "FieldViolation", id: 1 } } },
    FieldViolation: { fields: { field: { type: "string", id: 1 }, description: { type: "string", id: 2 } } },
    RetryInfo: { fields: { retryDelay: { type: "Duration", id: 1 } } },
    ErrorInfo: {
      fields: {
        reason: { type: "string", id: 1 },
        domain: { type: "string", id: 2 },
        metadata: { keyType: "string", type: "string", id: 3 } as protobuf.IMapField, // the type of fields lacks maps
      },
    },
  },
};

let cachedRoot: protobuf.Root | undefined;

const typeOf = (name: string): protobuf.Type =>
  (cachedRoot ??= protobufjs().Root.fromJSON(messages)).lookupType(name);

const PREFIX = "type.googleapis.com/google.rpc.";

interface Any {
  readonly typeUrl: string;
  readonly value: Uint8Array;
}

const encodeMessage = (type: string, value: object): Uint8Array =>
  typeOf(type).encode(typeOf(type).fromObject(value)).finish();

const decodeMessage = (type: string, bytes: Uint8Array): Record<string, unknown> =>
  typeOf(type).toObject(typeOf(type).decode(bytes), {
    longs: Number,
    arrays: true,
    defaults: true,
  });

/**
 * Replaces lone surrogates with U+FFFD: protobufjs writes them as invalid UTF-8, which other implementations reject. Untyped programs may pass other values,
 * and omit them.
 */
const text = (value: string | null | undefined): string => String(value ?? "").toWellFormed();

const NANOS_PER_SEC = 1_000_000_000;

const toAny = (detail: StatusDetail): Any => {
  switch (detail.kind) {
    case "badRequest":
      return {
        typeUrl: `${PREFIX}BadRequest`,
        value: encodeMessage("BadRequest", {
          fieldViolations: detail.violations.map(({ field, description }) => ({
            field: text(field),
            description: text(description),
          })),
        }),
      };
    case "retryInfo": {
      const total = Math.round(detail.delayMs * 1_000_000);
      const seconds = Math.trunc(total / NANOS_PER_SEC);
      const nanos = total % NANOS_PER_SEC; // has the sign of the seconds, as in every valid Duration
      return {
        typeUrl: `${PREFIX}RetryInfo`,
        value: encodeMessage("RetryInfo", { retryDelay: { seconds, nanos } }),
      };
    }
    case "errorInfo":
      return {
        typeUrl: `${PREFIX}ErrorInfo`,
        value: encodeMessage("ErrorInfo", {
          reason: text(detail.reason),
          domain: text(detail.domain),
          metadata: Object.fromEntries(
            Object.entries(detail.metadata ?? {}).map(([name, value]) => [text(name), text(value)]),
          ),
        }),
      };
    case "other":
      return { typeUrl: detail.typeUrl, value: detail.value };
  }
};

const fromAny = ({ typeUrl, value }: Any): StatusDetail => {
  const known = typeUrl.startsWith(PREFIX) ? typeUrl.slice(PREFIX.length) : "";
  if (known === "BadRequest") {
    const { fieldViolations } = decodeMessage(known, value) as {
      readonly fieldViolations: readonly { readonly field: string; readonly description: string }[];
    };
    return { kind: "badRequest", violations: fieldViolations };
  }
  if (known === "RetryInfo") {
    const { retryDelay } = decodeMessage(known, value) as {
      readonly retryDelay: { readonly seconds: number; readonly nanos: number } | null;
    };
    const { seconds = 0, nanos = 0 } = retryDelay ?? {};
    return { kind: "retryInfo", delayMs: seconds * 1000 + nanos / 1_000_000 };
  }
  if (known === "ErrorInfo") {
    const { reason, domain, metadata } = decodeMessage(known, value) as {
      readonly reason: string;
      readonly domain: string;
      readonly metadata?: Readonly<Record<string, string>>;
    };
    return { kind: "errorInfo", reason, domain, metadata: metadata ?? {} };
  }
  return { kind: "other", typeUrl, value };
};

/** Encodes the value of `grpc-status-details-bin` (google.rpc.Status). */
export const encodeDetails = (code: number, message: string, details: readonly StatusDetail[]): Uint8Array =>
  encodeMessage("Status", { code, message, details: details.map(toAny) });

/** Decodes `grpc-status-details-bin`. Returns no details for malformed bytes. */
export const decodeDetails = (bytes: Uint8Array): readonly StatusDetail[] => {
  try {
    const { details } = decodeMessage("Status", bytes) as { readonly details: readonly Any[] };
    return details.map(fromAny);
  } catch {
    return []; // details are optional; the status is valid without them
  }
};
