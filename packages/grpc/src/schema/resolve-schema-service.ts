import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { ConfigurationError, type Problem } from "@framework/core";
import { messageOf } from "@framework/core/feature";
import type { GrpcMethod, ResolvedService, ResolveOptions } from "../service/grpc-service.ts";
import type { SchemaService } from "../service/schema-service.ts";
import { describePackages } from "../descriptors/describe-packages.ts";
import { layoutService } from "./layout-service.ts";
import { MessageCodecs } from "./message-codec.ts";
import { numberFields } from "./number-fields.ts";
import { parseProto } from "../descriptors/parse-proto.ts";
import { protoText } from "./proto-text.ts";
import { readNumbers, type RecordedNumbers } from "./recorded-numbers.ts";

/** Builds a service from its schemas and its recorded numbers. @throws ConfigurationError with every mistake */
export const resolveSchemaService = (
  service: SchemaService,
  { recorded }: ResolveOptions,
): ResolvedService => {
  const { methods, messages, problems } = layoutService(service);
  const record = recordOf(service, problems);
  if (recorded && service.proto === null) problems.push(unrecordedProblem(service));
  const numbered = numberFields(messages, record?.numbers ?? null);
  const text = protoText({ service: service.name, methods, messages: numbered });
  if (service.proto !== null && !isSame(record?.text ?? "", text))
    problems.push(staleProblem(service.name, service.proto));
  if (problems.length > 0) throw new ConfigurationError(problems);
  const codecs = new MessageCodecs(numbered);
  return {
    methods: methods.map(({ name, request, response, requestStream, responseStream }): GrpcMethod => ({
      name,
      requestStream,
      responseStream,
      request: codecs.of(request),
      response: codecs.of(response),
      ...(service.schemas[name] !== undefined && { schema: service.schemas[name].request }),
    })),
    files: describePackages(parseProto(text)),
  };
};

/**
 * Returns the `.proto` text of a service: recorded numbers are kept, new fields get new ones.
 *
 * @param present the recorded `.proto`; `null` if there is none
 * @throws ConfigurationError with every mistake in the schemas; another error if `present` is not a `.proto`
 */
export const protoOf = (service: SchemaService, present: string | null): string => {
  const { methods, messages, problems } = layoutService(service);
  if (problems.length > 0) throw new ConfigurationError(problems);
  const numbers = present === null ? null : readNumbers(present);
  return protoText({ service: service.name, methods, messages: numberFields(messages, numbers) });
};

interface RecordedProto {
  readonly text: string;
  readonly numbers: RecordedNumbers;
}

const recordOf = ({ name, proto }: SchemaService, problems: Problem[]): RecordedProto | null => {
  if (proto === null) return null;
  try {
    const text = readFileSync(proto, "utf8");
    return { text, numbers: readNumbers(text) };
  } catch (error) {
    const missing = (error as { readonly code?: unknown }).code === "ENOENT";
    // A missing file is reported as stale, with the command that writes it.
    if (!missing)
      problems.push({
        code: "GRPC_PROTO_STALE",
        message: `${name}: ${fileURLToPath(proto)} cannot be read: ${messageOf(error)}`,
      });
    return null;
  }
};

/** Whether two texts mean the same; comments and layout may differ. */
const isSame = (one: string, other: string): boolean => {
  if (one === other) return true;
  try {
    return JSON.stringify(parseProto(one).toJSON()) === JSON.stringify(parseProto(other).toJSON());
  } catch {
    return false; // the recorded text is not a .proto
  }
};

const staleProblem = (name: string, proto: URL): Problem => ({
  code: "GRPC_PROTO_STALE",
  message: `${name}: ${fileURLToPath(proto)} does not match the schemas; run framework-grpc with the file that exports the service, and commit the result`,
});

const unrecordedProblem = ({ name }: SchemaService): Problem => ({
  code: "GRPC_NUMBERS_UNRECORDED",
  message: `${name} has no recorded field numbers; add \`proto: new URL("./${name.split(".").at(-1)?.toLowerCase()}.proto", import.meta.url)\` and run framework-grpc`,
});
