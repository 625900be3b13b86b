import { type Awaitable, FrameworkError } from "@framework/core";
import { mapAwaitable } from "@framework/core/feature";
import type { GrpcMethod, MessageCodec } from "../service/grpc-service.ts";
import { GrpcError } from "../status/grpc-error.ts";
import type { FieldViolation } from "../status/status-detail.ts";

/** Maximum number of invalid fields in an error. */
const MAX_VIOLATIONS = 100;

/**
 * Decodes and validates one message of a client.
 *
 * @throws GrpcError INVALID_ARGUMENT for invalid values, with the fields that the schema rejects; INTERNAL for bytes that are not a message of the type
 */
export const readMessage = ({ request, schema }: GrpcMethod, bytes: Uint8Array): Awaitable<unknown> => {
  const value = decode(request, bytes);
  if (schema === undefined) return value;
  return mapAwaitable(schema["~standard"].validate(value) as Awaitable<ValidationResult>, valueOrThrow);
};

/** Reads a client's stream lazily: it is paused while the handler does not read. */
export async function* readMessages(
  method: GrpcMethod,
  source: AsyncIterable<Uint8Array>,
): AsyncGenerator<unknown> {
  for await (const bytes of source) yield await readMessage(method, bytes);
}

interface Issue {
  readonly message: string;
  readonly path?: readonly (PropertyKey | { readonly key: PropertyKey })[] | undefined;
}

type ValidationResult =
  | { readonly value: unknown; readonly issues?: undefined }
  | { readonly issues: readonly Issue[] };

const valueOrThrow = (result: ValidationResult): unknown => {
  if (result.issues === undefined) return result.value;
  const violations = result.issues.slice(0, MAX_VIOLATIONS).map(violationOf);
  const [first] = violations;
  const text = first === undefined ? "the request is not valid" : `${first.field}: ${first.description}`;
  throw new GrpcError("INVALID_ARGUMENT", text, { details: [{ kind: "badRequest", violations }] });
};

const violationOf = ({ message, path = [] }: Issue): FieldViolation => ({
  field: path.map((part) => String(typeof part === "object" ? part.key : part)).join("."),
  description: message,
});

const decode = (codec: MessageCodec, bytes: Uint8Array): unknown => {
  try {
    return codec.decode(bytes);
  } catch (error) {
    if (FrameworkError.is(error) && error.code === "GRPC_BAD_MESSAGE")
      throw new GrpcError("INVALID_ARGUMENT", error.message, { cause: error });
    throw new GrpcError("INTERNAL", "The request is not a message of the method's type", { cause: error });
  }
};
