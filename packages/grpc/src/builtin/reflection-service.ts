import type { AnyImplementation } from "../call/implementation.ts";
import type { GrpcService } from "../service/grpc-service.ts";
import { GrpcStatus } from "../status/grpc-status.ts";
import { builtinService } from "./builtin-service.ts";
import type { DescriptorIndex } from "./descriptor-index.ts";

const protoOf = (version: string): string => `
syntax = "proto3";
package grpc.reflection.${version};
service ServerReflection {
  rpc ServerReflectionInfo(stream ServerReflectionRequest) returns (stream ServerReflectionResponse);
}
message ServerReflectionRequest {
  string host = 1;
  oneof message_request {
    string file_by_filename = 3;
    string file_containing_symbol = 4;
    ExtensionRequest file_containing_extension = 5;
    string all_extension_numbers_of_type = 6;
    string list_services = 7;
  }
}
message ExtensionRequest { string containing_type = 1; int32 extension_number = 2; }
message ServerReflectionResponse {
  string valid_host = 1;
  ServerReflectionRequest original_request = 2;
  oneof message_response {
    FileDescriptorResponse file_descriptor_response = 4;
    ExtensionNumberResponse all_extension_numbers_response = 5;
    ListServiceResponse list_services_response = 6;
    ErrorResponse error_response = 7;
  }
}
message FileDescriptorResponse { repeated bytes file_descriptor_proto = 1; }
message ExtensionNumberResponse { string base_type_name = 1; repeated int32 extension_number = 2; }
message ListServiceResponse { repeated ServiceResponse service = 1; }
message ServiceResponse { string name = 1; }
message ErrorResponse { int32 error_code = 1; string error_message = 2; }
`;

/** The current reflection service and the older one; their messages are the same. */
export const reflectionServices: readonly GrpcService[] = ["v1", "v1alpha"].map((version) =>
  builtinService(`grpc.reflection.${version}.ServerReflection`, protoOf(version)),
);

/** A reflection request; one of the members after `message_request` is set. */
interface ReflectionRequest {
  readonly host: string;
  readonly message_request?: string;
  readonly file_by_filename?: string;
  readonly file_containing_symbol?: string;
  readonly all_extension_numbers_of_type?: string;
}

/** Lists and describes the services (grpc.reflection.v1). */
export const reflectionImplementation = (
  index: DescriptorIndex,
  services: () => readonly string[],
): AnyImplementation => {
  const file = (name: string | null): object => {
    const files = name === null ? null : index.withDependencies(name);
    return files === null ? notFound() : { file_descriptor_response: { file_descriptor_proto: files } };
  };
  const respond = (request: ReflectionRequest): object => {
    switch (request.message_request) {
      case "list_services":
        return { list_services_response: { service: services().map((name) => ({ name })) } };
      case "file_by_filename":
        return file(request.file_by_filename ?? "");
      case "file_containing_symbol":
        return file(index.fileOf(request.file_containing_symbol ?? ""));
      case "all_extension_numbers_of_type":
        return numbersOf(request.all_extension_numbers_of_type ?? "");
      default:
        return notFound(); // extensions exist only in proto2, which these services do not use
    }
  };
  const numbersOf = (type: string): object =>
    index.fileOf(type) === null
      ? notFound()
      : { all_extension_numbers_response: { base_type_name: type, extension_number: [] } };
  return {
    async *ServerReflectionInfo(requests: AsyncIterable<ReflectionRequest>) {
      for await (const request of requests)
        yield { valid_host: request.host, original_request: request, ...respond(request) };
    },
  };
};

const notFound = (): object => ({
  error_response: { error_code: GrpcStatus.NOT_FOUND, error_message: "The symbol or file is unknown" },
});
