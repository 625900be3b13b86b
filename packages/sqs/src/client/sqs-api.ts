import type {
  BatchResultErrorEntry,
  ChangeMessageVisibilityBatchRequestEntry,
  Message,
  QueueAttributeName,
  SendMessageBatchRequestEntry,
  SQSClient,
} from "@aws-sdk/client-sqs";
import type { Clock } from "@framework/core/feature";
import type { SqsConfig } from "../sqs-config.ts";
import { awsSqs } from "./aws-sqs.ts";
import { isMissing } from "./sqs-error.ts";

/** Failed entries of a batch by id. */
export type Failures = ReadonlyMap<string, BatchResultErrorEntry>;

/** Requests to SQS, each with a time limit. They reject with the errors of the AWS SDK, the reason of the signal, or an error at the time limit. */
export class SqsApi {
  private readonly config: SqsConfig;
  private readonly clock: Clock;
  private readonly sdk = awsSqs();
  private readonly client: SQSClient;
  /** A separate client for long polling, whose requests would block others. */
  private readonly receiving: SQSClient;

  constructor(config: SqsConfig, clock: Clock) {
    this.config = config;
    this.clock = clock;
    const { region, endpointUrl, credentials, requestTimeoutMs } = config;
    const create = (maxAttempts: number, maxSockets: number): SQSClient =>
      new this.sdk.SQSClient({
        region,
        maxAttempts,
        requestHandler: {
          connectionTimeout: requestTimeoutMs,
          httpAgent: { maxSockets },
          httpsAgent: { maxSockets },
        },
        ...(endpointUrl !== undefined && { endpoint: endpointUrl }),
        ...(credentials !== undefined && { credentials }),
      });
    this.client = create(3, 50);
    this.receiving = create(1, Infinity); // the consumers limit and retry these requests
  }

  /** Returns the URL of a queue; `null` if it does not exist. */
  async urlOf(name: string): Promise<string | null> {
    try {
      const { QueueUrl } = await this.run((abortSignal) =>
        this.client.send(new this.sdk.GetQueueUrlCommand({ QueueName: name }), { abortSignal }),
      );
      return QueueUrl ?? null;
    } catch (error) {
      if (isMissing(error)) return null;
      throw error;
    }
  }

  /** Returns one page of queue URLs by name prefix. */
  async list(
    prefix: string,
    { limit = 1000, from }: { readonly limit?: number; readonly from?: string | undefined } = {},
  ): Promise<{ readonly urls: readonly string[]; readonly nextToken: string | undefined }> {
    const command = new this.sdk.ListQueuesCommand({
      MaxResults: limit,
      ...(prefix !== "" && { QueueNamePrefix: prefix }),
      ...(from !== undefined && { NextToken: from }),
    });
    const { QueueUrls, NextToken } = await this.run((abortSignal) =>
      this.client.send(command, { abortSignal }),
    );
    return { urls: QueueUrls ?? [], nextToken: NextToken };
  }

  /** Creates a queue and returns its URL. */
  async create(name: string, attributes: Partial<Record<QueueAttributeName, string>>): Promise<string> {
    const { QueueUrl } = await this.run((abortSignal) =>
      this.client.send(new this.sdk.CreateQueueCommand({ QueueName: name, Attributes: attributes }), {
        abortSignal,
      }),
    );
    if (QueueUrl === undefined) throw new Error(`SQS returned no URL for the queue ${name}`);
    return QueueUrl;
  }

  /** Returns attributes of a queue. */
  async attributes(
    url: string,
    ...names: readonly QueueAttributeName[]
  ): Promise<Partial<Record<string, string>>> {
    const { Attributes } = await this.run((abortSignal) =>
      this.client.send(
        new this.sdk.GetQueueAttributesCommand({ QueueUrl: url, AttributeNames: [...names] }),
        {
          abortSignal,
        },
      ),
    );
    return Attributes ?? {};
  }

  /** Sends at most 10 messages of at most 1 MiB together. Returns the failed ones. */
  async send(
    url: string,
    entries: readonly SendMessageBatchRequestEntry[],
    signal: AbortSignal,
  ): Promise<Failures> {
    const { Successful, Failed } = await this.run(
      (abortSignal) =>
        this.client.send(new this.sdk.SendMessageBatchCommand({ QueueUrl: url, Entries: [...entries] }), {
          abortSignal,
        }),
      { signal },
    );
    return failuresOf(entries, Successful, Failed);
  }

  /** Receives messages; waits up to `waitSecs` for the first one. */
  async receive(
    url: string,
    { count, waitSecs }: { readonly count: number; readonly waitSecs: number },
    signal: AbortSignal,
  ): Promise<readonly Message[]> {
    const command = new this.sdk.ReceiveMessageCommand({
      QueueUrl: url,
      MaxNumberOfMessages: count,
      WaitTimeSeconds: waitSecs,
      VisibilityTimeout: this.config.visibilityTimeoutSecs,
      MessageAttributeNames: ["All"],
      MessageSystemAttributeNames: ["ApproximateReceiveCount", "SentTimestamp", "MessageGroupId"],
    });
    const { Messages } = await this.run((abortSignal) => this.receiving.send(command, { abortSignal }), {
      signal,
      extraMs: waitSecs * 1000,
    });
    return Messages ?? [];
  }

  /** Deletes at most 10 messages. Returns the failed ones. */
  async remove(
    url: string,
    entries: readonly { readonly Id: string; readonly ReceiptHandle: string }[],
  ): Promise<Failures> {
    const { Successful, Failed } = await this.run((abortSignal) =>
      this.client.send(new this.sdk.DeleteMessageBatchCommand({ QueueUrl: url, Entries: [...entries] }), {
        abortSignal,
      }),
    );
    return failuresOf(entries, Successful, Failed);
  }

  /** Sets the visibility timeout of at most 10 messages; 0 makes them visible at once. Returns the failed ones. */
  async changeVisibility(
    url: string,
    entries: readonly ChangeMessageVisibilityBatchRequestEntry[],
  ): Promise<Failures> {
    const command = new this.sdk.ChangeMessageVisibilityBatchCommand({
      QueueUrl: url,
      Entries: [...entries],
    });
    const { Successful, Failed } = await this.run((abortSignal) =>
      this.client.send(command, { abortSignal }),
    );
    return failuresOf(entries, Successful, Failed);
  }

  close(): void {
    this.client.destroy();
    this.receiving.destroy();
  }

  private async run<T>(
    request: (abortSignal: AbortSignal) => Promise<T>,
    { signal, extraMs = 0 }: { readonly signal?: AbortSignal; readonly extraMs?: number } = {},
  ): Promise<T> {
    signal?.throwIfAborted();
    const limitMs = this.config.requestTimeoutMs + extraMs;
    const limit = new AbortController();
    const end = (): void => limit.abort(signal?.reason);
    const cancel = this.clock.after(limitMs, () =>
      limit.abort(new Error(`no response within ${limitMs} ms`)),
    );
    signal?.addEventListener("abort", end, { once: true });
    try {
      return await request(limit.signal);
    } catch (error) {
      limit.signal.throwIfAborted(); // the reason is more specific than the SDK's error
      throw error;
    } finally {
      cancel();
      signal?.removeEventListener("abort", end);
    }
  }
}

/** Returns the failed entries, including those without a result. */
const failuresOf = (
  entries: readonly { readonly Id?: string | undefined }[],
  successful: readonly { readonly Id?: string | undefined }[] = [],
  failed: readonly BatchResultErrorEntry[] = [],
): Failures => {
  if (successful.length === entries.length) return new Map();
  const known = new Set(successful.map(({ Id }) => Id));
  const errors = new Map(failed.map((entry) => [entry.Id ?? "", entry]));
  return new Map(
    entries
      .filter(({ Id }) => !known.has(Id))
      .map(({ Id = "" }) => [
        Id,
        errors.get(Id) ?? { Id, SenderFault: false, Code: "Missing", Message: "SQS returned no result" },
      ]),
  );
};
