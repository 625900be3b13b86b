import { createRequire } from "node:module";

const driver = createRequire(import.meta.url);
const { MemberAssignment } = driver("kafkajs/src/consumer/assignerProtocol.js") as {
  readonly MemberAssignment: { decode(buffer: Buffer): Assignment | null };
};

interface Assignment {
  readonly assignment: Readonly<Record<string, readonly number[]>>;
}

interface Member {
  readonly groupId: string;
  readonly memberId: string;
}

interface CommitRequest extends Member {
  readonly groupGenerationId: number;
  readonly topics: readonly {
    readonly topic: string;
    readonly partitions: readonly { readonly partition: number; readonly offset: string }[];
  }[];
}

interface DriverBroker {
  syncGroup(request: Member & { readonly generationId: number }): Promise<{ memberAssignment: Buffer }>;
  offsetCommit(request: CommitRequest): Promise<unknown>;
}

/** Records assignments and commits of one group's members in this process, by patching kafkajs. Never unpatches, because patches of other tests may wrap it. */
export class CommitWatch {
  /** Number of accepted commits. */
  commits = 0;
  /** Number of assignments. */
  assignments = 0;
  /** Commits of partitions that were not assigned to the member in that generation, and commits of an offset below an earlier one. */
  readonly violations: string[] = [];
  private readonly group: string;
  private readonly assigned = new Map<string, ReadonlySet<string>>();
  private readonly highest = new Map<string, bigint>();

  constructor(group: string) {
    this.group = group;
    const { prototype } = driver("kafkajs/src/broker/index.js") as { readonly prototype: DriverBroker };
    const { syncGroup, offsetCommit } = prototype;
    const isOwn = ({ groupId }: Member): boolean => groupId === this.group;
    const recordAssignment = this.recordAssignment.bind(this);
    const checkCommit = this.checkCommit.bind(this);
    const recordCommit = this.recordCommit.bind(this);
    prototype.syncGroup = async function (request) {
      const response = await syncGroup.call(this, request);
      if (isOwn(request)) recordAssignment(request, response.memberAssignment);
      return response;
    };
    prototype.offsetCommit = async function (request) {
      if (isOwn(request)) checkCommit(request);
      const response = await offsetCommit.call(this, request);
      if (isOwn(request)) recordCommit(request);
      return response;
    };
  }

  /** Totals for a report. */
  get totals(): { readonly commits: number; readonly assignments: number } {
    return { commits: this.commits, assignments: this.assignments };
  }

  private recordAssignment(
    { memberId, generationId }: Member & { readonly generationId: number },
    own: Buffer,
  ): void {
    const { assignment } = MemberAssignment.decode(own) ?? { assignment: {} };
    const names = Object.entries(assignment).flatMap(([topic, all]) => all.map((each) => `${topic}-${each}`));
    this.assigned.set(`${memberId} ${generationId}`, new Set(names));
    this.assignments++;
  }

  private checkCommit(request: CommitRequest): void {
    const { memberId, groupGenerationId } = request;
    const assigned = this.assigned.get(`${memberId} ${groupGenerationId}`) ?? new Set();
    for (const { name } of positionsOf(request))
      if (!assigned.has(name))
        this.violations.push(`${memberId} committed ${name} in generation ${groupGenerationId}`);
  }

  private recordCommit(request: CommitRequest): void {
    this.commits++;
    for (const { name, offset } of positionsOf(request)) {
      const before = this.highest.get(name) ?? -1n;
      if (offset < before) this.violations.push(`${name} went back from ${before} to ${offset}`);
      this.highest.set(name, offset);
    }
  }
}

const positionsOf = ({
  topics,
}: CommitRequest): readonly { readonly name: string; readonly offset: bigint }[] =>
  topics.flatMap(({ topic, partitions }) =>
    partitions.map(({ partition, offset }) => ({ name: `${topic}-${partition}`, offset: BigInt(offset) })),
  );
