import { existsSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type {
  handleBidiStreamingCall,
  handleClientStreamingCall,
  handleServerStreamingCall,
  handleUnaryCall,
} from "@grpc/grpc-js";
import { ConfigurationError } from "@framework/core";
import { messageOf } from "@framework/core/feature";
import type { Options, ServiceDefinition } from "@grpc/proto-loader";
import type protobuf from "protobufjs";
import { describePackages } from "../descriptors/describe-packages.ts";
import type { GrpcService } from "../service/grpc-service.ts";
import { MessageChecks } from "./check-message.ts";
import { type MessageRules, methodOfLoader } from "./loaded-method.ts";
import { restoreLongKeys } from "./long-keys.ts";
import { protobufjs, protoLoader } from "../libraries.ts";

/** Types of one method from its handler type in generated code. */
type ShapeOfHandler<Handler> =
  Handler extends handleUnaryCall<infer Request, infer Response>
    ? Shape<Request, Response, false, false>
    : Handler extends handleServerStreamingCall<infer Request, infer Response>
      ? Shape<Request, Response, false, true>
      : Handler extends handleClientStreamingCall<infer Request, infer Response>
        ? Shape<Request, Response, true, false>
        : Handler extends handleBidiStreamingCall<infer Request, infer Response>
          ? Shape<Request, Response, true, true>
          : never;

interface Shape<Request, Response, RequestStream extends boolean, ResponseStream extends boolean> {
  readonly requestStream: RequestStream;
  readonly responseStream: ResponseStream;
  readonly request: Request;
  readonly response: Response;
  readonly sent: Partial<Request>;
  readonly received: Response;
}

/** Types of methods from the `…Handlers` interface that `proto-loader-gen-types` writes. */
export type ShapesOfHandlers<Handlers> = {
  readonly [Name in keyof Handlers & string]: ShapeOfHandler<Handlers[Name]>;
};

/** Options of `protoService`, passed to proto-loader. */
export interface ProtoServiceOptions {
  /** Folders in which imported files are looked up. @default none */
  readonly includeDirs?: readonly string[];
  /** JavaScript type of 64-bit integers (int64, uint64, sint64, fixed64, sfixed64). @default "number" */
  readonly longs?: "number" | "string";
  /** Keeps `snake_case` field names instead of `camelCase`. @default false */
  readonly keepCase?: boolean;
}

/**
 * Reads a service from a `.proto`. Enum values are strings. Absent messages are `null`, and absent scalars have their default value; absent `optional`
 * fields and members of a `oneof` are missing.
 *
 * @param file URL or path of the `.proto`
 * @throws ConfigurationError GRPC_BAD_SERVICE, at start or when a client is created, if the file cannot be read or lacks the service
 * @example
 * import type { CatalogHandlers } from "./generated/books/v1/Catalog.ts"; // by proto-loader-gen-types
 * const catalog = protoService<CatalogHandlers>("books.v1.Catalog", new URL("./catalog.proto", import.meta.url));
 */
export const protoService = <Handlers extends object>(
  name: string,
  file: URL | string,
  options: ProtoServiceOptions = {},
): GrpcService<ShapesOfHandlers<Handlers>> => ({
  name,
  resolve: () => {
    const definition = load(name, file, options);
    const { keepCase = false } = options;
    const described = loadRoot(pathOf(file), options, true);
    const checked = keepCase ? described : loadRoot(pathOf(file), options, false);
    const checks = new MessageChecks();
    const rulesOf = (type: protobuf.Type): MessageRules => ({
      check: checks.of(type),
      correct: restoreLongKeys(type),
    });
    const methods = checked.lookupService(name).methodsArray.flatMap((method) => {
      const parts = definition[method.name];
      const { resolvedRequestType: request, resolvedResponseType: response } = method;
      if (parts === undefined || request === null || response === null) return [];
      return methodOfLoader(method.name, parts, {
        request: rulesOf(request),
        response: rulesOf(response),
      });
    });
    return { methods, files: describePackages(described) };
  },
});

const load = (name: string, file: URL | string, options: ProtoServiceOptions): ServiceDefinition => {
  const { includeDirs = [], longs = "number", keepCase = false } = options;
  const loaderOptions: Options = {
    keepCase,
    longs: longs === "number" ? Number : String,
    enums: String,
    defaults: true,
    oneofs: true,
    includeDirs: [...includeDirs],
  };
  const path = pathOf(file);
  let found: unknown;
  try {
    found = protoLoader().loadSync(path, loaderOptions)[name];
  } catch (error) {
    throw badService(`${path} cannot be read: ${messageOf(error)}`);
  }
  // A package may also define a message or enum of this name: these have `format`, services do not.
  if (typeof found !== "object" || found === null || "format" in found)
    throw badService(`${path} has no service ${name}`);
  return found as ServiceDefinition;
};

const pathOf = (file: URL | string): string => (typeof file === "string" ? file : fileURLToPath(file));

/**
 * Parses the files with protobufjs, because the descriptors of proto-loader are incomplete. Descriptors need the field names of the `.proto`, checks the names
 * that handlers use.
 */
const loadRoot = (
  path: string,
  { includeDirs = [] }: ProtoServiceOptions,
  keepCase: boolean,
): protobuf.Root => {
  const root = new (protobufjs().Root)();
  const resolve = root.resolvePath.bind(root);
  root.resolvePath = (origin, target) => {
    const found = [...includeDirs].map((folder) => join(folder, target)).find((each) => existsSync(each));
    return found ?? resolve(origin, target);
  };
  return root.loadSync(path, { keepCase }).resolveAll() as protobuf.Root;
};

const badService = (message: string): ConfigurationError =>
  new ConfigurationError([{ code: "GRPC_BAD_SERVICE", message }]);
