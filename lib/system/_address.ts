const MAPPED_PREFIX = "0000000000000000FFFF0000";

/**
 * The text of an IPv4 address from the eight hexadecimal digits of the socket table: one number in the
 * machine's byte order, which is little-endian on every processor that Deno runs on.
 */
function ipv4(hex: string): string {
  const value = Number.parseInt(hex, 16);
  return `${value & 255}.${value >>> 8 & 255}.${value >>> 16 & 255}.${value >>> 24}`;
}

/** The longest run of two or more zero groups, which is written as `::`; `null` when there is none. */
function zeroRun(groups: readonly number[]): { start: number; end: number } | null {
  let longest: { start: number; end: number } | null = null;
  for (let start = 0; start < groups.length; start++) {
    let end = start;
    while (groups[end] === 0) end++;
    if (end - start >= 2 && (longest === null || end - start > longest.end - longest.start)) {
      longest = { start, end };
    }
    start = end;
  }
  return longest;
}

/** The text of an IPv6 address from its eight groups. */
function ipv6Text(groups: readonly number[]): string {
  const text = (part: readonly number[]) => part.map((group) => group.toString(16)).join(":");
  const zeros = zeroRun(groups);
  if (zeros === null) return text(groups);
  return `${text(groups.slice(0, zeros.start))}::${text(groups.slice(zeros.end))}`;
}

/** The text of an IPv6 address from 32 digits: four such numbers. */
function ipv6(hex: string): string {
  const groups: number[] = [];
  for (let word = 0; word < 32; word += 8) {
    const byte = (index: number) => Number.parseInt(hex.slice(word + 2 * index, word + 2 * index + 2), 16);
    groups.push(byte(3) << 8 | byte(2), byte(1) << 8 | byte(0));
  }
  return ipv6Text(groups);
}

/**
 * Whether an address of the IPv6 table is an IPv4 address in IPv6's clothes (`::ffff:127.0.0.1`): a
 * dual-stack listener's connections are.
 *
 * @param hex the address as the table has it
 * @returns whether it is
 */
export function isMapped(hex: string): boolean {
  return hex.length === 32 && hex.startsWith(MAPPED_PREFIX);
}

/**
 * The text of an address of the socket table; an IPv4-mapped one as IPv4.
 *
 * Source: RFC 5952, 4 (the text of IPv6 addresses); RFC 4291, 2.5.5.2 (IPv4-mapped).
 *
 * @param hex the address as the table has it: 8 or 32 hexadecimal digits
 * @returns the text
 */
export function formatAddress(hex: string): string {
  if (hex.length === 8) return ipv4(hex);
  return isMapped(hex) ? ipv4(hex.slice(MAPPED_PREFIX.length)) : ipv6(hex);
}

const MAPPED_GROUPS = [0, 0, 0, 0, 0, 0xffff];

/**
 * The text of an address in network byte order, as a socket has it; an IPv4-mapped one as IPv4.
 *
 * Source: RFC 5952, 4; RFC 4291, 2.5.5.2.
 *
 * @param bytes what it stands in
 * @param at where it begins
 * @param length 4 for IPv4, 16 for IPv6
 * @returns the text
 */
export function addressText(bytes: Uint8Array, at: number, length: 4 | 16): string {
  if (length === 4) return bytes.subarray(at, at + 4).join(".");
  const groups = Array.from(
    { length: 8 },
    (_, group) => bytes[at + 2 * group]! << 8 | bytes[at + 2 * group + 1]!,
  );
  const isMapped = MAPPED_GROUPS.every((value, group) => groups[group] === value);
  return isMapped ? addressText(bytes, at + 12, 4) : ipv6Text(groups);
}

/**
 * The bytes of an address in network byte order.
 *
 * Source: RFC 4291, 2.2 (the forms of IPv6 addresses).
 *
 * @param text the address, without brackets, zone or port
 * @returns 4 bytes for IPv4, 16 for IPv6; `null` when it is no address
 */
export function parseAddress(text: string): Uint8Array | null {
  const parts = text.split(".");
  if (parts.length === 4 && parts.every((part) => /^(0|[1-9]\d{0,2})$/.test(part) && Number(part) < 256)) {
    return Uint8Array.from(parts, Number);
  }
  if (!text.includes(":") || !URL.canParse(`http://[${text}]`)) return null;
  // Written as URLs have it, it has no IPv4 part any more and one `::` at most.
  const [head = "", tail] = new URL(`http://[${text}]`).hostname.slice(1, -1).split("::");
  const groups = (part: string) =>
    part === "" ? [] : part.split(":").map((group) => Number.parseInt(group, 16));
  const [before, after] = [groups(head), groups(tail ?? "")];
  const zeros = Array<number>(8 - before.length - after.length).fill(0);
  return Uint8Array.from([...before, ...zeros, ...after].flatMap((group) => [group >> 8, group & 255]));
}
