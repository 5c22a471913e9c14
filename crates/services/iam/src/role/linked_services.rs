//! Services with service-linked roles. About half are from recorded answers or a table made of them; the others are names that the
//! provider's policies and guides use, and are not recorded. A test checks that each policy exists.

/// A service with service-linked roles.
#[derive(Clone, Copy, Debug)]
pub(super) struct LinkedService {
    /// First part of the principal, before `.amazonaws.com`.
    service: &'static str,
    /// Name of the role after `AWSServiceRoleFor`, without a suffix.
    role: &'static str,
    /// Name of the policy of the provider that the role has.
    pub(super) policy: &'static str,
}

impl LinkedService {
    /// Finds the service with this principal.
    pub(super) fn find(principal: &str) -> Option<Self> {
        let name = principal.strip_suffix(".amazonaws.com")?;
        let found = SERVICES.iter().find(|(service, ..)| *service == name);
        found.map(|&(service, role, policy)| Self { service, role, policy })
    }

    /// Name of the role, without a suffix.
    pub(super) fn role_name(self) -> String {
        ["AWSServiceRoleFor", self.role].concat()
    }

    /// True if the service can have several roles, told apart by a suffix.
    pub(super) fn has_suffix(self) -> bool {
        matches!(self.service, "autoscaling" | "connect" | "lexv2")
    }

    /// Description of the role if the caller gives none.
    pub(super) fn description(self) -> Option<&'static str> {
        (self.service == "sso").then_some(
            "Service-linked role used by AWS SSO to manage AWS resources, including IAM roles, policies and SAML IdP on your behalf.",
        )
    }
}

/// Principals of all services.
pub(super) fn principals() -> impl Iterator<Item = String> {
    SERVICES.iter().map(|(service, ..)| [service, ".amazonaws.com"].concat())
}

/// Services, their roles and policies.
pub const SERVICES: &[(&str, &str, &str)] = &[
    ("access-analyzer", "AccessAnalyzer", "AccessAnalyzerServiceRolePolicy"),
    ("accountdiscovery.ssm", "AmazonSSM_AccountDiscovery", "AWSSystemsManagerAccountDiscoveryServicePolicy"),
    ("acm", "CertificateManager", "CertificateManagerServiceRolePolicy"),
    ("airflow", "AmazonMWAA", "AmazonMWAAServiceRolePolicy"),
    (
        "apidestinations.events",
        "AmazonEventBridgeApiDestinations",
        "AmazonEventBridgeApiDestinationsServiceRolePolicy",
    ),
    ("appfabric", "AppFabric", "AWSAppFabricServiceRolePolicy"),
    ("application-insights", "ApplicationInsights", "CloudwatchApplicationInsightsServiceLinkedRolePolicy"),
    (
        "application-signals.cloudwatch",
        "CloudWatchApplicationSignals",
        "CloudWatchApplicationSignalsServiceRolePolicy",
    ),
    ("appmesh", "AppMesh", "AWSAppMeshServiceRolePolicy"),
    ("apprunner", "AppRunner", "AppRunnerServiceRolePolicy"),
    (
        "appstream.application-autoscaling",
        "ApplicationAutoScaling_AppStreamFleet",
        "AWSApplicationAutoscalingAppStreamFleetPolicy",
    ),
    ("appsync", "AppSync", "AWSAppSyncServiceRolePolicy"),
    ("artifact", "Artifact", "AWSArtifactServiceRolePolicy"),
    ("auditmanager", "AuditManager", "AWSAuditManagerServiceRolePolicy"),
    ("autoscaling", "AutoScaling", "AutoScalingServiceRolePolicy"),
    ("autoscaling-plans", "AutoScalingPlans_EC2AutoScaling", "AWSAutoScalingPlansEC2AutoScalingPolicy"),
    ("backup", "Backup", "AWSBackupServiceLinkedRolePolicyForBackup"),
    ("batch", "Batch", "BatchServiceRolePolicy"),
    ("braket", "AmazonBraket", "AmazonBraketServiceRolePolicy"),
    ("cassandra-streams", "AmazonKeyspacesCDC", "KeyspacesCDCServiceRolePolicy"),
    (
        "cassandra.application-autoscaling",
        "ApplicationAutoScaling_CassandraTable",
        "AWSApplicationAutoscalingCassandraTablePolicy",
    ),
    ("chime", "AmazonChime", "AmazonChimeServiceRolePolicy"),
    (
        "cks.kms",
        "KeyManagementServiceCustomKeyStores",
        "AWSKeyManagementServiceCustomKeyStoresServiceRolePolicy",
    ),
    ("cloudtrail", "CloudTrail", "CloudTrailServiceRolePolicy"),
    ("codeguru-reviewer", "AmazonCodeGuruReviewer", "AmazonCodeGuruReviewerServiceRolePolicy"),
    ("codestar-notifications", "CodeStarNotifications", "AWSCodeStarNotificationsServiceRolePolicy"),
    ("cognito-idp", "AmazonCognitoIdp", "AmazonCognitoIdpServiceRolePolicy"),
    (
        "comprehend.application-autoscaling",
        "ApplicationAutoScaling_ComprehendEndpoint",
        "AWSApplicationAutoscalingComprehendEndpointPolicy",
    ),
    ("compute-optimizer", "ComputeOptimizer", "ComputeOptimizerServiceRolePolicy"),
    ("config", "Config", "AWSConfigServiceRolePolicy"),
    ("config-conforms", "ConfigConforms", "ConfigConformsServiceRolePolicy"),
    ("connect", "AmazonConnect", "AmazonConnectServiceLinkedRolePolicy"),
    (
        "continuousexport.discovery",
        "ApplicationDiscoveryServiceContinuousExport",
        "ApplicationDiscoveryServiceContinuousExportServiceRolePolicy",
    ),
    ("cost-optimization-hub.bcm", "CostOptimizationHub", "CostOptimizationHubServiceRolePolicy"),
    (
        "custom-resource.application-autoscaling",
        "ApplicationAutoScaling_CustomResource",
        "AWSApplicationAutoScalingCustomResourcePolicy",
    ),
    ("datasync", "DataSync", "AWSDataSyncServiceRolePolicy"),
    ("dax", "DAX", "DAXServiceRolePolicy"),
    ("delivery.logs", "LogDelivery", "AWSServiceRoleForLogDeliveryPolicy"),
    ("devops-guru", "DevOpsGuru", "AmazonDevOpsGuruServiceRolePolicy"),
    ("dms", "DMSServerless", "AWSDMSServerlessServiceRolePolicy"),
    ("dms-fleet-advisor", "DMSFleetAdvisor", "AWSDMSFleetAdvisorServiceRolePolicy"),
    ("docdb-elastic", "DocDB-Elastic", "AmazonDocDB-ElasticServiceRolePolicy"),
    (
        "dynamodb.application-autoscaling",
        "ApplicationAutoScaling_DynamoDBTable",
        "AWSApplicationAutoscalingDynamoDBTablePolicy",
    ),
    ("ec2-instance-connect", "Ec2InstanceConnect", "Ec2InstanceConnectEndpoint"),
    (
        "ec2.application-autoscaling",
        "ApplicationAutoScaling_EC2SpotFleetRequest",
        "AWSApplicationAutoscalingEC2SpotFleetRequestPolicy",
    ),
    ("ec2fastlaunch", "EC2FastLaunch", "EC2FastLaunchServiceRolePolicy"),
    ("ec2fleet", "EC2Fleet", "AWSEC2FleetServiceRolePolicy"),
    ("ecr", "ECRTemplate", "ECRTemplateServiceRolePolicy"),
    ("ecs", "ECS", "AmazonECSServiceRolePolicy"),
    (
        "ecs.application-autoscaling",
        "ApplicationAutoScaling_ECSService",
        "AWSApplicationAutoscalingECSServicePolicy",
    ),
    ("eks", "AmazonEKS", "AmazonEKSServiceRolePolicy"),
    ("eks-connector", "AmazonEKSConnector", "AmazonEKSConnectorServiceRolePolicy"),
    ("eks-fargate", "AmazonEKSForFargate", "AmazonEKSForFargateServiceRolePolicy"),
    ("eks-nodegroup", "AmazonEKSNodegroup", "AWSServiceRoleForAmazonEKSNodegroup"),
    ("elasticache", "ElastiCache", "ElastiCacheServiceRolePolicy"),
    (
        "elasticache.application-autoscaling",
        "ApplicationAutoScaling_ElastiCacheRG",
        "AWSApplicationAutoscalingElastiCacheRGPolicy",
    ),
    ("elasticbeanstalk", "ElasticBeanstalk", "AWSElasticBeanstalkServiceRolePolicy"),
    ("elasticfilesystem", "AmazonElasticFileSystem", "AmazonElasticFileSystemServiceRolePolicy"),
    ("elasticloadbalancing", "ElasticLoadBalancing", "AWSElasticLoadBalancingServiceRolePolicy"),
    ("elasticmapreduce", "EMRCleanup", "AmazonEMRCleanupPolicy"),
    (
        "elasticmapreduce.application-autoscaling",
        "ApplicationAutoScaling_EMRInstanceGroup",
        "AWSApplicationAutoscalingEMRInstanceGroupPolicy",
    ),
    ("email.cognito-idp", "AmazonCognitoIdpEmailService", "AmazonCognitoIdpEmailServiceRolePolicy"),
    ("emr-containers", "AmazonEMRContainers", "AmazonEMRContainersServiceRolePolicy"),
    ("emrwal", "EMRWAL", "EMRDescribeClusterPolicyForEMRWAL"),
    ("es", "AmazonElasticsearchService", "AmazonElasticsearchServiceRolePolicy"),
    ("events", "CloudWatchEvents", "CloudWatchEventsServiceRolePolicy"),
    ("events.workmail", "AmazonWorkMailEvents", "AmazonWorkMailEventsServiceRolePolicy"),
    ("fis", "FIS", "AmazonFISServiceRolePolicy"),
    ("fms", "FMS", "FMSServiceRolePolicy"),
    ("fsx", "AmazonFSx", "AmazonFSxServiceRolePolicy"),
    ("globalaccelerator", "GlobalAccelerator", "AWSGlobalAcceleratorSLRPolicy"),
    ("grafana", "AmazonGrafana", "AmazonGrafanaServiceLinkedRolePolicy"),
    ("guardduty", "AmazonGuardDuty", "AmazonGuardDutyServiceRolePolicy"),
    ("imagebuilder", "ImageBuilder", "AWSServiceRoleForImageBuilder"),
    ("inspector", "AmazonInspector", "AmazonInspectorServiceRolePolicy"),
    ("inspector2", "AmazonInspector2", "AmazonInspector2ServiceRolePolicy"),
    ("internetmonitor", "InternetMonitor", "CloudWatchInternetMonitorServiceRolePolicy"),
    ("iotmanagedintegrations", "IoTManagedIntegrations", "AWSIoTManagedIntegrationsRolePolicy"),
    ("kafka", "Kafka", "KafkaServiceRolePolicy"),
    (
        "kafka.application-autoscaling",
        "ApplicationAutoScaling_KafkaCluster",
        "AWSApplicationAutoscalingKafkaClusterPolicy",
    ),
    ("kafkaconnect", "KafkaConnect", "KafkaConnectServiceRolePolicy"),
    ("lakeformation", "LakeFormationDataAccess", "LakeFormationDataAccessServiceRolePolicy"),
    (
        "lambda.application-autoscaling",
        "ApplicationAutoScaling_LambdaConcurrency",
        "AWSApplicationAutoscalingLambdaConcurrencyPolicy",
    ),
    ("lex", "LexBots", "LexBotPolicy"),
    ("lexv2", "LexV2Bots", "AmazonLexV2BotPolicy"),
    (
        "license-management.marketplace",
        "MarketplaceLicenseManagement",
        "AWSMarketplaceLicenseManagementServiceRolePolicy",
    ),
    ("lightsail", "Lightsail", "LightsailExportAccess"),
    ("m2", "AWSM2", "AWSM2ServicePolicy"),
    ("macie", "AmazonMacie", "AmazonMacieServiceRolePolicy"),
    ("memorydb", "MemoryDB", "MemoryDBServiceRolePolicy"),
    ("mq", "AmazonMQ", "AmazonMQServiceRolePolicy"),
    (
        "mrk.kms",
        "KeyManagementServiceMultiRegionKeys",
        "AWSKeyManagementServiceMultiRegionKeysServiceRolePolicy",
    ),
    ("neptune-graph", "NeptuneGraph", "AWSServiceRoleForNeptuneGraphPolicy"),
    (
        "neptune.application-autoscaling",
        "ApplicationAutoScaling_NeptuneCluster",
        "AWSApplicationAutoscalingNeptuneClusterPolicy",
    ),
    ("network-firewall", "NetworkFirewall", "AWSNetworkFirewallServiceRolePolicy"),
    ("notifications", "AwsUserNotifications", "AWSUserNotificationsServiceLinkedRolePolicy"),
    ("observability.aoss", "AmazonOpenSearchServerless", "AmazonOpenSearchServerlessServiceRolePolicy"),
    ("opensearchservice", "AmazonOpenSearchService", "AmazonOpenSearchServiceRolePolicy"),
    ("ops.apigateway", "APIGateway", "APIGatewayServiceRolePolicy"),
    ("ops.emr-serverless", "AmazonEMRServerless", "AmazonEMRServerlessServiceRolePolicy"),
    ("opsdatasync.ssm", "SystemsManagerOpsDataSync", "AWSSystemsManagerOpsDataSyncServiceRolePolicy"),
    ("opsinsights.ssm", "AmazonSSM_OpsInsights", "AWSSSMOpsInsightsServiceRolePolicy"),
    ("organizations", "Organizations", "AWSOrganizationsServiceTrustPolicy"),
    ("osis", "AmazonOpenSearchIngestionService", "AmazonOpenSearchIngestionServiceRolePolicy"),
    ("pullthroughcache.ecr", "ECRPullThroughCache", "AWSECRPullThroughCache_ServiceRolePolicy"),
    ("ram", "ResourceAccessManager", "AWSResourceAccessManagerServiceRolePolicy"),
    ("rds", "RDS", "AmazonRDSServiceRolePolicy"),
    (
        "rds.application-autoscaling",
        "ApplicationAutoScaling_RDSCluster",
        "AWSApplicationAutoscalingRDSClusterPolicy",
    ),
    ("redshift", "Redshift", "AmazonRedshiftServiceLinkedRolePolicy"),
    ("remediation.config", "ConfigRemediation", "AWSConfigRemediationServiceRolePolicy"),
    ("replication.cassandra", "KeyspacesReplication", "KeyspacesReplicationServiceRolePolicy"),
    ("replication.dynamodb", "DynamoDBReplication", "DynamoDBReplicationServiceRolePolicy"),
    ("replication.ecr", "ECRReplication", "ECRReplicationServiceRolePolicy"),
    ("repository.sync.codeconnections", "GitSync", "AWSGitSyncServiceRolePolicy"),
    ("resource-explorer-2", "ResourceExplorer", "AWSResourceExplorerServiceRolePolicy"),
    ("rolesanywhere", "RolesAnywhere", "AWSRolesAnywhereServicePolicy"),
    ("route53resolver", "Route53Resolver", "Route53ResolverServiceRolePolicy"),
    ("rum", "RealUserMonitoring", "AmazonCloudWatchRUMServiceRolePolicy"),
    ("s3-outposts", "S3OnOutposts", "AWSS3OnOutpostsServiceRolePolicy"),
    ("sagemaker", "AmazonSageMakerNotebooks", "AmazonSageMakerNotebooksServiceRolePolicy"),
    (
        "sagemaker.application-autoscaling",
        "ApplicationAutoScaling_SageMakerEndpoint",
        "AWSApplicationAutoscalingSageMakerEndpointPolicy",
    ),
    ("schemas", "Schemas", "AmazonEventBridgeSchemasServiceRolePolicy"),
    ("scraper.aps", "AmazonPrometheusScraper", "AmazonPrometheusScraperServiceRolePolicy"),
    ("securityhub", "SecurityHub", "AWSSecurityHubServiceRolePolicy"),
    ("securitylake", "SecurityLake", "SecurityLakeServiceLinkedRole"),
    (
        "servicecatalog-appregistry",
        "AWSServiceCatalogAppRegistry",
        "AWSServiceCatalogAppRegistryServiceRolePolicy",
    ),
    ("servicequotas", "ServiceQuotas", "ServiceQuotasServiceRolePolicy"),
    ("ses", "AmazonSES", "AmazonSESServiceRolePolicy"),
    ("shield", "AWSShield", "AWSShieldServiceRolePolicy"),
    ("spot", "EC2Spot", "AWSEC2SpotServiceRolePolicy"),
    ("spotfleet", "EC2SpotFleet", "AWSEC2SpotFleetServiceRolePolicy"),
    ("ssm", "AmazonSSM", "AmazonSSMServiceRolePolicy"),
    ("ssm-incidents", "IncidentManager", "AWSIncidentManagerServiceRolePolicy"),
    ("ssm-quicksetup", "SSMQuickSetup", "SSMQuickSetupRolePolicy"),
    ("sso", "SSO", "AWSSSOServiceRolePolicy"),
    ("support", "Support", "AWSSupportServiceRolePolicy"),
    ("timestream-influxdb", "TimestreamInfluxDB", "AmazonTimestreamInfluxDBServiceRolePolicy"),
    ("transitgateway", "VPCTransitGateway", "AWSVPCTransitGatewayServiceRolePolicy"),
    ("trustedadvisor", "TrustedAdvisor", "AWSTrustedAdvisorServiceRolePolicy"),
    ("vpc-lattice", "VpcLattice", "AWSVpcLatticeServiceRolePolicy"),
    ("vpcorigin.cloudfront", "CloudFrontVPCOrigin", "AWSCloudFrontVPCOriginServiceRolePolicy"),
    ("waf", "WAFLogging", "WAFLoggingServiceRolePolicy"),
    ("wafv2", "WAFV2Logging", "WAFV2LoggingServiceRolePolicy"),
];
