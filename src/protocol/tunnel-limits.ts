/** The bounds of tunnels; a part of `LIMITS`. Times are milliseconds. */
export const TUNNEL_LIMITS = {
  /** Stored endpoints, and offers of this machine. */
  tunnelEndpoints: 100,
  tunnelOffers: 100,
  /** Bytes and messages that were sent and are not acknowledged: they are sent again after a cut. More waits. */
  tunnelReplayBytes: 4_194_304,
  tunnelReplayMessages: 2_000,
  tunnelReplayMessageBytes: 8_388_608,
  /** How much may arrive before it is acknowledged, and how long. */
  tunnelAckBytes: 262_144,
  tunnelAckMs: 200,
  /** How long a cut link waits to be resumed. Its streams end then, and are billed. */
  tunnelResumeMs: 60_000,
  /** How often a link is probed, and the silence after which it counts as cut. */
  tunnelPingMs: 5_000,
  tunnelSilenceMs: 15_000,
  /** A connection with all of its handshake. */
  tunnelHandshakeMs: 10_000,
  /** Connections in their handshake at a time; further ones are refused. */
  tunnelHandshakes: 100,
  /** Of a handshake's message: nobody has proved anything yet. */
  tunnelHandshakeBytes: 16_384,
  /** How long a request waits for a link that is not there. */
  tunnelReadyMs: 10_000,
  /** Waits between attempts: the first, and the longest. Each is a random part of it. */
  tunnelRetryMs: 250,
  tunnelRetryMaxMs: 30_000,
  /** Of one WebSocket message, and of all that comes before a handshake has ended. Longer pieces of a stream are split. */
  tunnelMessageBytes: 4_194_304,
  tunnelPieceBytes: 1_048_576,
  /** Links of one offer at a time; the oldest cut one goes first. */
  tunnelLinks: 8,
  /** Requests of one link at a time, and sessions. */
  tunnelStreams: 1_000,
  tunnelSessions: 100,
  /** The flow window of a stream, and of all streams of a link together. */
  tunnelStreamWindowBytes: 1_048_576,
  tunnelWindowBytes: 8_388_608,
  /** How long the models and prices of an endpoint are believed. */
  tunnelModelsMs: 60_000,
  /** Models of an endpoint. */
  tunnelModels: 2_000,
  tunnelModelsBytes: 1_048_576,
  /** How long a pairing code can be used. */
  tunnelPairingMs: 600_000,
  /** Wrong pairing codes after which the right one is worth nothing. */
  tunnelPairingTries: 5,
  /** Pairing codes that are open at once. */
  tunnelPairings: 20,
} as const;
