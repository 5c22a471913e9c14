//! Directories of users: those of the customer, which instances of SQL Server join. None of the provider exists.

use super::{
    World,
    instances::{instances, request},
    snapshots,
};
use nephos_core::{Result, Session, Text};
use nephos_rds::{
    CreateDBInstance, DBInstance, DomainMembership, ModifyDBInstance, RestoreDBInstanceFromDBSnapshot, errors,
};
use nephos_secrets::CreateSecret;
use nephos_testing::ask;

/// Creates the secret with a user that may join the directory; returns its ARN.
fn secret(session: &Session) -> Result<Text> {
    let created = ask(session, CreateSecret::new("directory").secret_string("{}"))?;
    Ok(created.arn().unwrap().into())
}

/// Creates an instance of SQL Server.
fn sqlserver(id: &str) -> CreateDBInstance {
    let mut create = request(id, "sqlserver-se");
    create.db_instance_class = "db.r5.xlarge".into();
    create.allocated_storage = Some(200);
    create
}

/// Creates an instance of SQL Server in a directory.
fn member(id: &str, secret: &Text) -> CreateDBInstance {
    let mut create = sqlserver(id);
    create.domain_fqdn = Some("corp.example.com".into());
    create.domain_ou = Some("OU=databases,DC=corp,DC=example,DC=com".into());
    create.domain_auth_secret_arn = Some(secret.clone());
    create.domain_dns_ips = Some(vec!["10.0.0.10".into(), "10.0.0.11".into()]);
    create
}

fn memberships(session: &Session, id: &str) -> Result<Vec<DomainMembership>> {
    let found = instances(session).get(id).wait()?.unwrap();
    Ok(found.domain_memberships().unwrap().to_vec())
}

pub(super) fn instance_joins_a_directory_of_the_customer(world: &World) -> Result<()> {
    let session = world.session();
    let secret = secret(&session)?;
    let created = ask(&session, member("web", &secret))?;
    let created = created.db_instance().and_then(DBInstance::domain_memberships).unwrap();
    assert_eq!(created[0].status(), Some("pending-join"), "while it is being created");
    let [joined] = &memberships(&session, "web")?[..] else { panic!("it is in one directory") };
    assert_eq!((joined.status(), joined.fqdn()), (Some("joined"), Some("corp.example.com")));
    assert_eq!(joined.ou(), Some("OU=databases,DC=corp,DC=example,DC=com"));
    assert_eq!((joined.auth_secret_arn(), joined.dns_ips().unwrap().len()), (Some(secret.as_str()), 2));
    let change = |by: fn(&mut ModifyDBInstance)| {
        let mut modify = ModifyDBInstance::new("web");
        by(&mut modify);
        ask(&session, modify)
    };
    change(|modify| modify.disable_domain = Some(true))?;
    assert_eq!(memberships(&session, "web")?, []);
    let mut modify = ModifyDBInstance::new("web");
    let other = member("web", &secret);
    modify.domain_fqdn = Some("other.example.com".into());
    modify.domain_ou = other.domain_ou;
    modify.domain_auth_secret_arn = other.domain_auth_secret_arn;
    modify.domain_dns_ips = other.domain_dns_ips;
    ask(&session, modify)?;
    assert_eq!(memberships(&session, "web")?[0].fqdn(), Some("other.example.com"));
    change(|modify| modify.domain = Some("none".into()))?;
    assert_eq!(memberships(&session, "web")?, []);
    Ok(())
}

pub(super) fn restored_instance_joins_a_directory(world: &World) -> Result<()> {
    let session = world.session();
    let secret = secret(&session)?;
    ask(&session, member("web", &secret))?;
    snapshots::take(&session, "one", "web")?;
    ask(&session, RestoreDBInstanceFromDBSnapshot::new("copy").db_snapshot_identifier("one"))?;
    assert_eq!(memberships(&session, "copy")?, [], "a copy is in none by itself");
    let restore = RestoreDBInstanceFromDBSnapshot::new("other").db_snapshot_identifier("one");
    let other = member("other", &secret);
    let restore = restore.domain_fqdn("corp.example.com").domain_ou(other.domain_ou.unwrap());
    let restore = restore.domain_auth_secret_arn(secret).domain_dns_ips(other.domain_dns_ips.unwrap());
    ask(&session, restore)?;
    assert_eq!(memberships(&session, "other")?[0].status(), Some("joined"));
    Ok(())
}

pub(super) fn directories_are_validated(world: &World) -> Result<()> {
    let session = world.session();
    let secret = secret(&session)?;
    let refused = |code, field: &str, by: &dyn Fn(&mut CreateDBInstance)| {
        let mut create = member("web", &secret);
        by(&mut create);
        world.refused(code, field, || ask(&session, create))
    };
    let combination = &errors::INVALID_COMBINATION;
    let error = refused(combination, "Domain", &|create| create.domain = Some("d-1234567890".into()));
    assert_eq!(
        error.message(),
        "Specify the parameters for either AWS Managed Active Directory or self-managed Active Directory"
    );
    refused(combination, "DomainFqdn", &|create| create.engine = "mysql".into());
    refused(combination, "DomainOu", &|create| create.domain_ou = None);
    refused(combination, "DomainAuthSecretArn", &|create| create.domain_auth_secret_arn = None);
    refused(&errors::INVALID, "DomainFqdn", &|create| create.domain_fqdn = Some("corp".into()));
    refused(&errors::INVALID, "DomainOu", &|create| create.domain_ou = Some("databases".into()));
    refused(&errors::INVALID, "DomainDnsIps", &|create| {
        create.domain_dns_ips = Some(vec!["10.0.0.10".into()]);
    });
    let unknown = "arn:aws:secretsmanager:us-east-1:123456789012:secret:none-abcdef";
    refused(&errors::INVALID, "DomainAuthSecretArn", &|create| {
        create.domain_auth_secret_arn = Some(unknown.into());
    });
    let managed = |engine: &str| {
        let mut create = request("web", engine);
        create.domain = Some("d-1234567890".into());
        create.domain_iam_role_name = Some("directory".into());
        create
    };
    let error = world.refused(&errors::DOMAIN_NOT_FOUND, "Domain", || ask(&session, managed("postgres")));
    assert_eq!(error.message(), "Domain d-1234567890 not found.");
    world.refused(combination, "Domain", || ask(&session, managed("mariadb")));
    let mut role = request("web", "mysql");
    role.domain_iam_role_name = Some("directory".into());
    world.refused(combination, "DomainIAMRoleName", || ask(&session, role));
    ask(&session, member("web", &secret))?;
    let mut both = ModifyDBInstance::new("web");
    let given = member("web", &secret);
    both.disable_domain = Some(true);
    both.domain_fqdn = given.domain_fqdn;
    both.domain_ou = given.domain_ou;
    both.domain_auth_secret_arn = given.domain_auth_secret_arn;
    both.domain_dns_ips = given.domain_dns_ips;
    world.refused(combination, "DisableDomain", || ask(&session, both));
    Ok(())
}
