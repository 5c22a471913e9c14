// Calls every service with the AWS SDK for JavaScript: create, get, list in pages, update, tag, delete, and an error by its class.
// Prints nothing if all is right. The address of the server is the only argument.

import assert from "node:assert/strict";
import * as logsSdk from "@aws-sdk/client-cloudwatch-logs";
import * as ec2Sdk from "@aws-sdk/client-ec2";
import * as elbSdk from "@aws-sdk/client-elastic-load-balancing-v2";
import * as eventsSdk from "@aws-sdk/client-eventbridge";
import * as iamSdk from "@aws-sdk/client-iam";
import * as kmsSdk from "@aws-sdk/client-kms";
import * as schemasSdk from "@aws-sdk/client-schemas";
import * as secretsSdk from "@aws-sdk/client-secrets-manager";
import * as stsSdk from "@aws-sdk/client-sts";

const ACCOUNT = "123456789012";
const REGION = "us-east-1";
const TAGS = [{ Key: "team", Value: "web + é" }];
const BYTES = Uint8Array.from({ length: 256 }, (_, n) => n);

const settings = {
  endpoint: process.argv[2],
  region: REGION,
  credentials: { accessKeyId: ACCOUNT, secretAccessKey: "secret" },
  maxAttempts: 1,
};

/** Returns the items under `key` of all pages, which must be more than one. */
async function listed(pages, key) {
  const found = [];
  let count = 0;
  for await (const page of pages) {
    found.push(...(page[key] ?? []));
    count += 1;
  }
  assert.ok(count > 1, `one page of ${key}`);
  return found;
}

/** Asserts that a call fails with an exception of a class, a name and a status. */
async function refused(call, kind, name = kind.name, status = 400) {
  const error = await call.then(
    () => assert.fail(`${name} was expected, but the call succeeded`),
    (error) => error,
  );
  assert.ok(error instanceof kind, `${error.constructor.name}: ${error.message} is not a ${kind.name}`);
  assert.equal(error.name, name);
  assert.equal(error.$metadata.httpStatusCode, status);
  assert.ok(error.message && error.$metadata.requestId, "an error needs a message and a request ID");
}

/** Asserts that a member is a date of today, according to the clock of the server. */
function isRecent(date) {
  assert.ok(date instanceof Date, `${date} is not a Date`);
  assert.ok(Math.abs(Date.now() - date.getTime()) < 24 * 3600 * 1000, `${date.toISOString()} is not of today`);
}

function sameBytes(found, expected) {
  assert.ok(found instanceof Uint8Array, `${found} has no bytes`);
  assert.deepEqual(Buffer.from(found), Buffer.from(expected));
}

const document = (...statements) => JSON.stringify({ Version: "2012-10-17", Statement: statements });
const names = (count, prefix) => Array.from({ length: count }, (_, n) => `${prefix}-${n}`);

async function logs() {
  const client = new logsSdk.CloudWatchLogs(settings);
  for (const logGroupName of names(3, "/app")) {
    await client.createLogGroup({ logGroupName, tags: { team: "web" } });
  }
  const pages = logsSdk.paginateDescribeLogGroups({ client, pageSize: 1 }, { logGroupNamePrefix: "/app" });
  const groups = await listed(pages, "logGroups");
  assert.deepEqual(groups.map((group) => group.logGroupName), names(3, "/app"));
  const [{ logGroupName, creationTime, logGroupArn }] = groups;
  isRecent(new Date(creationTime));
  await client.putRetentionPolicy({ logGroupName, retentionInDays: 7 });
  const changed = await client.describeLogGroups({ logGroupNamePrefix: logGroupName });
  assert.equal(changed.logGroups[0].retentionInDays, 7);
  await client.tagResource({ resourceArn: logGroupArn, tags: { purpose: "test" } });
  const { tags } = await client.listTagsForResource({ resourceArn: logGroupArn });
  assert.deepEqual({ ...tags }, { team: "web", purpose: "test" });
  await client.createLogStream({ logGroupName, logStreamName: "one" });
  const logEvents = names(3, "é\n").map((message, n) => ({ timestamp: creationTime + n, message }));
  await client.putLogEvents({ logGroupName, logStreamName: "one", logEvents });
  const events = await listed(logsSdk.paginateFilterLogEvents({ client, pageSize: 1 }, { logGroupName }), "events");
  assert.deepEqual(events.map(({ timestamp, message }) => ({ timestamp, message })), logEvents);
  await refused(client.createLogGroup({ logGroupName }), logsSdk.ResourceAlreadyExistsException);
  await client.deleteLogGroup({ logGroupName });
  await refused(client.describeLogStreams({ logGroupName }), logsSdk.ResourceNotFoundException);
}

async function events() {
  const client = new eventsSdk.EventBridge(settings);
  const { EventBusArn } = await client.createEventBus({ Name: "shop", Tags: TAGS });
  for (const Name of names(3, "rule")) {
    await client.putRule({ Name, EventBusName: "shop", EventPattern: '{"source": ["shop"]}' });
  }
  const found = await client.describeRule({ Name: "rule-0", EventBusName: "shop" });
  assert.equal(found.State, "ENABLED");
  // This SDK has no paginators for this service.
  const first = await client.listRules({ EventBusName: "shop", Limit: 2 });
  const second = await client.listRules({ EventBusName: "shop", NextToken: first.NextToken });
  assert.deepEqual([...first.Rules, ...second.Rules].map((rule) => rule.Name), names(3, "rule"));
  await client.disableRule({ Name: "rule-0", EventBusName: "shop" });
  assert.equal((await client.describeRule({ Name: "rule-0", EventBusName: "shop" })).State, "DISABLED");
  assert.deepEqual((await client.listTagsForResource({ ResourceARN: EventBusArn })).Tags, TAGS);
  const entry = { Source: "shop", DetailType: "Order", Detail: "{}", EventBusName: "shop", Time: new Date(0) };
  const put = await client.putEvents({ Entries: [entry, { ...entry, Detail: "no JSON" }] });
  assert.equal(put.FailedEntryCount, 1);
  assert.equal(put.Entries[1].ErrorCode, "MalformedDetail");
  await client.createArchive({ ArchiveName: "all", EventSourceArn: EventBusArn });
  isRecent((await client.describeArchive({ ArchiveName: "all" })).CreationTime);
  await client.deleteArchive({ ArchiveName: "all" });
  for (const Name of names(3, "rule")) {
    await client.deleteRule({ Name, EventBusName: "shop" });
  }
  await client.deleteEventBus({ Name: "shop" });
  await refused(client.describeEventBus({ Name: "shop" }), eventsSdk.ResourceNotFoundException);
}

async function schemas() {
  const client = new schemasSdk.Schemas(settings);
  const { RegistryArn } = await client.createRegistry({ RegistryName: "shop", Tags: { team: "é" } });
  const Content = JSON.stringify({
    openapi: "3.0.0",
    info: { title: "Order", version: "1" },
    paths: {},
    components: { schemas: { Order: { type: "object", properties: { id: { type: "string" } } } } },
  });
  for (const SchemaName of names(3, "order")) {
    await client.createSchema({ RegistryName: "shop", SchemaName, Type: "OpenApi3", Content });
  }
  const one = { RegistryName: "shop", SchemaName: "order-0" };
  const found = await client.describeSchema(one);
  isRecent(found.LastModified);
  assert.equal(found.Content, Content);
  const pages = schemasSdk.paginateListSchemas({ client, pageSize: 1 }, { RegistryName: "shop" });
  assert.deepEqual((await listed(pages, "Schemas")).map((schema) => schema.SchemaName), names(3, "order"));
  await client.updateSchema({ ...one, Content: Content.replace("Order", "Order 2") });
  assert.equal((await client.describeSchema(one)).SchemaVersion, "2");
  await client.tagResource({ ResourceArn: RegistryArn, Tags: { purpose: "test" } });
  const { Tags } = await client.listTagsForResource({ ResourceArn: RegistryArn });
  assert.deepEqual({ ...Tags }, { team: "é", purpose: "test" });
  await client.putCodeBinding({ ...one, Language: "Python36" });
  const { Body } = await client.getCodeBindingSource({ ...one, Language: "Python36" });
  // A zip file.
  assert.equal(Buffer.from(Body).subarray(0, 4).toString("latin1"), "PK\u0003\u0004");
  await refused(client.createSchema({ ...one, Type: "OpenApi3", Content }), schemasSdk.ConflictException, undefined, 409);
  for (const SchemaName of names(3, "order")) {
    await client.deleteSchema({ RegistryName: "shop", SchemaName });
  }
  await client.deleteRegistry({ RegistryName: "shop" });
  await refused(client.describeRegistry({ RegistryName: "shop" }), schemasSdk.NotFoundException, undefined, 404);
}

async function secrets() {
  const client = new secretsSdk.SecretsManager(settings);
  for (const Name of names(3, "secret")) {
    await client.createSecret({ Name, SecretBinary: BYTES, Tags: TAGS });
  }
  const SecretId = "secret-0";
  const found = await client.getSecretValue({ SecretId });
  sameBytes(found.SecretBinary, BYTES);
  isRecent(found.CreatedDate);
  const all = await listed(secretsSdk.paginateListSecrets({ client, pageSize: 1 }, {}), "SecretList");
  assert.deepEqual(all.map((secret) => secret.Name).sort(), names(3, "secret"));
  await client.updateSecret({ SecretId, SecretString: "é", Description: "text" });
  const changed = await client.getSecretValue({ SecretId });
  assert.deepEqual([changed.SecretString, changed.SecretBinary], ["é", undefined]);
  await client.tagResource({ SecretId, Tags: [{ Key: "purpose", Value: "test" }] });
  const described = await client.describeSecret({ SecretId });
  assert.deepEqual(described.Tags.map((tag) => tag.Key).sort(), ["purpose", "team"]);
  await refused(client.createSecret({ Name: SecretId, SecretString: "x" }), secretsSdk.ResourceExistsException);
  const { DeletionDate } = await client.deleteSecret({ SecretId, ForceDeleteWithoutRecovery: true });
  isRecent(DeletionDate);
  await refused(client.getSecretValue({ SecretId }), secretsSdk.ResourceNotFoundException);
}

async function kms() {
  const client = new kmsSdk.KMS(settings);
  const made = await client.createKey({ Description: "one", Tags: [{ TagKey: "team", TagValue: "web" }] });
  const { KeyId, CreationDate } = made.KeyMetadata;
  isRecent(CreationDate);
  for (const name of names(3, "alias/name")) {
    await client.createAlias({ AliasName: name, TargetKeyId: KeyId });
  }
  const aliases = await listed(kmsSdk.paginateListAliases({ client, pageSize: 1 }, { KeyId }), "Aliases");
  assert.deepEqual(aliases.map((alias) => alias.AliasName), names(3, "alias/name"));
  await client.updateKeyDescription({ KeyId, Description: "two" });
  assert.equal((await client.describeKey({ KeyId })).KeyMetadata.Description, "two");
  await client.tagResource({ KeyId, Tags: [{ TagKey: "purpose", TagValue: "test" }] });
  const { Tags } = await client.listResourceTags({ KeyId });
  assert.deepEqual(Tags.map((tag) => tag.TagKey).sort(), ["purpose", "team"]);
  const EncryptionContext = { user: "é" };
  const { CiphertextBlob } = await client.encrypt({ KeyId, Plaintext: BYTES, EncryptionContext });
  sameBytes((await client.decrypt({ CiphertextBlob, EncryptionContext })).Plaintext, BYTES);
  await refused(client.decrypt({ CiphertextBlob }), kmsSdk.InvalidCiphertextException);
  const data = await client.generateDataKey({ KeyId, KeySpec: "AES_256" });
  assert.equal(data.Plaintext.length, 32);
  const signer = (await client.createKey({ KeySpec: "ECC_NIST_P256", KeyUsage: "SIGN_VERIFY" })).KeyMetadata.KeyId;
  const signing = { KeyId: signer, Message: BYTES, SigningAlgorithm: "ECDSA_SHA_256" };
  const { Signature } = await client.sign(signing);
  assert.equal((await client.verify({ ...signing, Signature })).SignatureValid, true);
  const { DeletionDate } = await client.scheduleKeyDeletion({ KeyId, PendingWindowInDays: 7 });
  assert.ok(DeletionDate > CreationDate);
  await refused(client.encrypt({ KeyId, Plaintext: BYTES }), kmsSdk.KMSInvalidStateException);
  await refused(client.describeKey({ KeyId: "alias/missing" }), kmsSdk.NotFoundException);
}

async function iam() {
  const client = new iamSdk.IAM(settings);
  for (const UserName of names(3, "user")) {
    await client.createUser({ UserName, Path: "/people/", Tags: [{ Key: "team", Value: "web" }] });
  }
  const { User } = await client.getUser({ UserName: "user-0" });
  isRecent(User.CreateDate);
  assert.equal(User.Arn, `arn:aws:iam::${ACCOUNT}:user/people/user-0`);
  const pages = iamSdk.paginateListUsers({ client, pageSize: 1 }, { PathPrefix: "/people/" });
  assert.deepEqual((await listed(pages, "Users")).map((user) => user.UserName), names(3, "user"));
  await client.updateUser({ UserName: "user-2", NewUserName: "renamed" });
  await client.tagUser({ UserName: "renamed", Tags: [{ Key: "purpose", Value: "test" }] });
  const { Tags } = await client.listUserTags({ UserName: "renamed" });
  assert.deepEqual(Tags.map((tag) => tag.Key).sort(), ["purpose", "team"]);
  const PolicyDocument = document({ Effect: "Allow", Action: "logs:*", Resource: "*", Sid: "All" });
  await client.putUserPolicy({ UserName: "user-0", PolicyName: "inline", PolicyDocument });
  const inline = await client.getUserPolicy({ UserName: "user-0", PolicyName: "inline" });
  assert.equal(decodeURIComponent(inline.PolicyDocument), PolicyDocument);
  const device = await client.createVirtualMFADevice({ VirtualMFADeviceName: "phone" });
  const seed = Buffer.from(device.VirtualMFADevice.Base32StringSeed).toString();
  assert.match(seed, /^[A-Z2-7]+=*$/);
  await client.generateCredentialReport({});
  const report = await client.getCredentialReport({});
  assert.match(Buffer.from(report.Content).toString(), /^user,arn,/);
  isRecent(report.GeneratedTime);
  await refused(client.createUser({ UserName: "user-0" }), iamSdk.EntityAlreadyExistsException, undefined, 409);
  await refused(client.deleteUser({ UserName: "user-0" }), iamSdk.DeleteConflictException, undefined, 409);
  await client.deleteUserPolicy({ UserName: "user-0", PolicyName: "inline" });
  await client.deleteUser({ UserName: "user-0" });
  await refused(client.getUser({ UserName: "user-0" }), iamSdk.NoSuchEntityException, undefined, 404);
}

async function sts() {
  const client = new stsSdk.STS(settings);
  assert.equal((await client.getCallerIdentity({})).Account, ACCOUNT);
  const AssumeRolePolicyDocument = document({
    Effect: "Allow",
    Action: "sts:AssumeRole",
    Principal: { AWS: ACCOUNT },
  });
  await new iamSdk.IAM(settings).createRole({ RoleName: "reader", AssumeRolePolicyDocument });
  const RoleArn = `arn:aws:iam::${ACCOUNT}:role/reader`;
  const { Credentials } = await client.assumeRole({ RoleArn, RoleSessionName: "me" });
  isRecent(Credentials.Expiration);
  const credentials = {
    accessKeyId: Credentials.AccessKeyId,
    secretAccessKey: Credentials.SecretAccessKey,
    sessionToken: Credentials.SessionToken,
  };
  const { Arn } = await new stsSdk.STS({ ...settings, credentials }).getCallerIdentity({});
  assert.equal(Arn, `arn:aws:sts::${ACCOUNT}:assumed-role/reader/me`);
  const malformed = client.assumeRole({ RoleArn, RoleSessionName: "me", Policy: "{}" });
  await refused(malformed, stsSdk.MalformedPolicyDocumentException);
}

async function ec2() {
  const client = new ec2Sdk.EC2(settings);
  const tags = (kind, Name) => [{ ResourceType: kind, Tags: [{ Key: "Name", Value: Name }] }];
  const { Vpc } = await client.createVpc({ CidrBlock: "10.1.0.0/16", TagSpecifications: tags("vpc", "app") });
  const within = { Filters: [{ Name: "vpc-id", Values: [Vpc.VpcId] }] };
  for (const n of [0, 1, 2, 3, 4, 5]) {
    await client.createSubnet({ VpcId: Vpc.VpcId, CidrBlock: `10.1.${n}.0/24` });
  }
  const subnets = await listed(ec2Sdk.paginateDescribeSubnets({ client, pageSize: 5 }, within), "Subnets");
  assert.equal(new Set(subnets.map((subnet) => subnet.CidrBlock)).size, 6);
  const group = await client.createSecurityGroup({ GroupName: "web", Description: "web", VpcId: Vpc.VpcId });
  const range = { CidrIp: "10.0.0.0/8", Description: "inside" };
  const IpPermissions = [{ IpProtocol: "tcp", FromPort: 80, ToPort: 81, IpRanges: [range] }];
  await client.authorizeSecurityGroupIngress({ GroupId: group.GroupId, IpPermissions });
  const { SecurityGroups } = await client.describeSecurityGroups({ GroupIds: [group.GroupId] });
  const [permission] = SecurityGroups[0].IpPermissions;
  assert.deepEqual([permission.FromPort, permission.ToPort, permission.IpRanges], [80, 81, [range]]);
  const run = await client.runInstances({
    ImageId: "ami-abc12345",
    MinCount: 2,
    MaxCount: 2,
    SubnetId: subnets[0].SubnetId,
    UserData: Buffer.from(BYTES).toString("base64"),
  });
  const InstanceIds = run.Instances.map((instance) => instance.InstanceId);
  isRecent(run.Instances[0].LaunchTime);
  const attribute = await client.describeInstanceAttribute({ InstanceId: InstanceIds[0], Attribute: "userData" });
  sameBytes(Buffer.from(attribute.UserData.Value, "base64"), BYTES);
  // EC2 allows any characters in tags, unlike other services.
  const Value = '<é> & "co"';
  await client.createTags({ Resources: InstanceIds, Tags: [{ Key: "team", Value }] });
  const found = await client.describeTags({ Filters: [{ Name: "resource-id", Values: InstanceIds }] });
  assert.deepEqual(found.Tags.map((tag) => tag.Value), [Value, Value]);
  await client.terminateInstances({ InstanceIds });
  const missing = client.describeVpcs({ VpcIds: ["vpc-00000000000000000"] });
  await refused(missing, ec2Sdk.EC2ServiceException, "InvalidVpcID.NotFound");
  await client.deleteSecurityGroup({ GroupId: group.GroupId });
  const denied = client.deleteVpc({ VpcId: Vpc.VpcId });
  await refused(denied, ec2Sdk.EC2ServiceException, "DependencyViolation");
}

async function elb() {
  const client = new elbSdk.ElasticLoadBalancingV2(settings);
  const { Subnets } = await new ec2Sdk.EC2(settings).describeSubnets({
    Filters: [{ Name: "default-for-az", Values: ["true"] }],
  });
  const { VpcId } = Subnets[0];
  for (const Name of names(3, "balancer")) {
    await client.createLoadBalancer({ Name, Subnets: Subnets.slice(0, 2).map((subnet) => subnet.SubnetId), Tags: TAGS });
  }
  // The paginators of this service ignore `pageSize`.
  const pages = elbSdk.paginateDescribeLoadBalancers({ client }, { PageSize: 1 });
  const balancers = await listed(pages, "LoadBalancers");
  assert.deepEqual(balancers.map((balancer) => balancer.LoadBalancerName), names(3, "balancer"));
  const [{ LoadBalancerArn, CreatedTime, State }] = balancers;
  isRecent(CreatedTime);
  assert.deepEqual(State, { Code: "active" });
  const target = { Name: "web", Protocol: "HTTP", Port: 80, VpcId, TargetType: "ip" };
  const { TargetGroupArn } = (await client.createTargetGroup(target)).TargetGroups[0];
  await client.registerTargets({ TargetGroupArn, Targets: [{ Id: Subnets[0].CidrBlock.replace(/\.0\/.*/, ".9") }] });
  const { TargetHealthDescriptions } = await client.describeTargetHealth({ TargetGroupArn });
  assert.equal(TargetHealthDescriptions.length, 1);
  const { Listeners } = await client.createListener({
    LoadBalancerArn,
    Protocol: "HTTP",
    Port: 80,
    DefaultActions: [{ Type: "forward", TargetGroupArn }],
  });
  const { ListenerArn } = Listeners[0];
  await client.modifyListener({ ListenerArn, Port: 81 });
  assert.equal((await client.describeListeners({ LoadBalancerArn })).Listeners[0].Port, 81);
  await client.addTags({ ResourceArns: [LoadBalancerArn], Tags: [{ Key: "purpose", Value: "test" }] });
  const { TagDescriptions } = await client.describeTags({ ResourceArns: [LoadBalancerArn] });
  const tags = Object.fromEntries(TagDescriptions[0].Tags.map(({ Key, Value }) => [Key, Value]));
  assert.deepEqual(tags, { team: TAGS[0].Value, purpose: "test" });
  await refused(client.deleteTargetGroup({ TargetGroupArn }), elbSdk.ResourceInUseException);
  await client.deleteLoadBalancer({ LoadBalancerArn });
  await refused(client.describeLoadBalancers({ Names: ["balancer-0"] }), elbSdk.LoadBalancerNotFoundException);
}

for (const service of [logs, events, schemas, secrets, kms, iam, sts, ec2, elb]) {
  try {
    await service();
  } catch (error) {
    console.error(`${service.name}:`, error);
    process.exitCode = 1;
  }
}
