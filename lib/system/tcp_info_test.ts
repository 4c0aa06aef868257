import { assertEquals, assertThrows } from "@std/assert";
import { parseTcpInfo } from "./tcp_info.ts";

function info(write: (view: DataView) => void): DataView {
  const view = new DataView(new ArrayBuffer(256));
  view.setUint8(0, 1);
  write(view);
  return view;
}

Deno.test("each fact is read where the kernel has it", () => {
  const facts: [at: number, value: number][] = [
    [8, 201_000],
    [16, 1448],
    [24, 3],
    [68, 1500],
    [72, 750],
    [76, 20],
    [80, 10],
    [100, 2],
    [228, 65_535],
  ];
  const view = info((view) => {
    for (const [at, value] of facts) view.setUint32(at, value, true);
    view.setBigUint64(104, 0xffffffffffffffffn, true);
    view.setBigUint64(120, 5_000_000_000n, true);
  });
  const known = {
    state: "ESTABLISHED",
    retransmissionTimeoutMs: 201,
    segmentBytes: 1448,
    unackedSegments: 3,
    rttMs: 1.5,
    rttDeviationMs: 0.75,
    slowStartThresholdSegments: 20,
    congestionWindowSegments: 10,
    retransmissions: 2,
  } as const;
  assertEquals(parseTcpInfo(view, 256), {
    ...known,
    pacingBytesPerSecond: null,
    ackedBytes: 5_000_000_000,
    sendWindowBytes: 65_535,
  });
  assertEquals(parseTcpInfo(view, 104), {
    ...known,
    pacingBytesPerSecond: null,
    ackedBytes: null,
    sendWindowBytes: null,
  });
});

Deno.test("what is too short or in no state that is known is refused", () => {
  assertThrows(() => parseTcpInfo(info(() => {}), 103), RangeError, "must be >= 104 bytes");
  assertThrows(
    () => parseTcpInfo(info((view) => view.setUint8(0, 99)), 256),
    RangeError,
    "its state is unknown",
  );
});
