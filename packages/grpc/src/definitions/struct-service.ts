import { ConfigurationError, type Problem } from "@framework/core";
import { describePackages } from "../descriptors/describe-packages.ts";
import { parseProto } from "../descriptors/parse-proto.ts";
import { strictReader } from "../schema/strict-reader.ts";
import { fromStruct, toStruct } from "../schema/struct-values.ts";
import {
  type GrpcService,
  isIdentifier,
  type MessageCodec,
  type MethodShape,
} from "../service/grpc-service.ts";

/** A method over `google.protobuf.Struct`: both sides are plain objects. */
export interface StructShape extends MethodShape {
  readonly requestStream: false;
  readonly responseStream: false;
  readonly request: Readonly<Record<string, unknown>>;
  readonly response: Readonly<Record<string, unknown>>;
  readonly sent: Readonly<Record<string, unknown>>;
  readonly received: Readonly<Record<string, unknown>>;
}

const STRUCT = "google.protobuf.Struct";

/** A service of unary methods without schemas; each message is a `google.protobuf.Struct`. */
export const structService = (
  name: string,
  methods: readonly string[],
): GrpcService<Readonly<Record<string, StructShape>>> => ({
  name,
  resolve: () => {
    const problems = methods.flatMap((method, at) =>
      methodProblems(name, method, methods.indexOf(method) < at),
    );
    if (problems.length > 0) throw new ConfigurationError(problems);
    const root = parseProto(protoText(name, methods));
    if (methods.length === 0) return { methods: [], files: describePackages(root) }; // without methods the root lacks the Struct type
    const type = root.lookupType(STRUCT);
    const codec: MessageCodec = {
      encode: (value) => type.encode(toStruct(value)).finish() as Buffer, // protobufjs writes buffers on Node
      decode: (bytes) => fromStruct(type.decode(strictReader(bytes)) as never),
    };
    return {
      methods: methods.map((method) => ({
        name: method,
        requestStream: false,
        responseStream: false,
        request: codec,
        response: codec,
      })),
      files: describePackages(root),
    };
  },
});

const protoText = (name: string, methods: readonly string[]): string => {
  const dot = name.lastIndexOf(".");
  const heading = dot === -1 ? "" : `package ${name.slice(0, dot)};`;
  const rpcs = methods.map((method) => `rpc ${method} (${STRUCT}) returns (${STRUCT});`);
  return `syntax = "proto3"; ${heading} service ${name.slice(dot + 1)} { ${rpcs.join(" ")} }`;
};

const methodProblems = (service: string, method: string, isDuplicate: boolean): readonly Problem[] => {
  if (!isIdentifier(method))
    return [problem(`${service}: ${JSON.stringify(method)} is not a valid method name`)];
  return isDuplicate ? [problem(`${service}: the method ${method} is listed twice`)] : [];
};

const problem = (message: string): Problem => ({ code: "GRPC_BAD_SERVICE", message });
