export async function runFaults() {
  return [];
}
