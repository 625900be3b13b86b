import { ClientError } from "../http/client-error.ts";
import type { OperationSpec } from "./operation.ts";

/**
 * Serialises a value and reports failures.
 *
 * @throws ClientError CLIENT_BAD_PARAMETER, which names the operation, for a value that cannot be serialised: a lone surrogate in a URL, a bigint in JSON
 */
export const sendable = <T>({ route }: OperationSpec, subject: string, serialise: () => T): T => {
  try {
    return serialise();
  } catch (error) {
    if (error instanceof ClientError) throw error;
    throw new ClientError("CLIENT_BAD_PARAMETER", `${route} cannot send ${subject}`, { cause: error });
  }
};
