// Entities that existing consoles and command lines list and this service does not have.

export const dataPlaneLists = [
  'configs',
  'edge-router-policies',
  'edge-router-role-attributes',
  'edge-routers',
  'identity-role-attributes',
  'posture-check-role-attributes',
  'posture-check-types',
  'posture-checks',
  'routers',
  'service-edge-router-policies',
  'service-policies',
  'service-role-attributes',
  'services',
  'sessions',
  'terminators',
  'transit-routers',
] as const;

/** Below one identity. */
export const dataPlaneListsOfIdentity = [
  'edge-router-policies',
  'edge-routers',
  'service-configs',
  'service-policies',
  'services',
];
