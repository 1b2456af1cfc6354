import type { Etcd, EtcdMember } from "../etcd.ts";
import { until } from "../support.ts";
import type { Victim } from "./kills.ts";

const isHealthy = ({ address }: EtcdMember): Promise<boolean> =>
  fetch(`http://${address}/health`, { signal: AbortSignal.timeout(1000) }).then(
    async (response) => ((await response.json()) as { health: string }).health === "true",
    () => false,
  );

const victim = (member: EtcdMember): Victim => ({
  kill: () => member.kill(),
  async start() {
    await member.restart();
    await until(`${member.address} is healthy`, () => isHealthy(member));
  },
});

/** The member that leads now. */
export const leaderOf = async (etcd: Etcd): Promise<Victim> => {
  let index = -1;
  await until("etcd has a leader", async () => (index = await etcd.leader()) >= 0);
  return victim(etcd.members[index] as EtcdMember);
};

/** A member that does not lead now. */
export const followerOf = async (etcd: Etcd): Promise<Victim> => {
  const leader = await etcd.leader();
  const followers = etcd.members.filter((_, index) => index !== leader);
  return victim(followers[Math.floor(Math.random() * followers.length)] as EtcdMember);
};
