//! Skills and the judge's report.

use reflect_client::{AuthoredReflection, CreateSkillRequest, ErrorCode, Outcome};

use crate::worlds::harness::{in_both_worlds, learned};

in_both_worlds! {
    async fn a_skill_needs_enough_to_stand_on(client) {
        assert!(client.get_skill().await.unwrap().is_none());
        let error = client.create_skill(CreateSkillRequest::default()).await.unwrap_err();
        assert_eq!(error.code(), Some(ErrorCode::TooFewMemories));
    }

    async fn a_skill_has_versions(client) {
        for number in 0..6 {
            let task = format!("Refund order B-{number}");
            let lesson = AuthoredReflection { guidance: Some("Look first.".into()), ..AuthoredReflection::default() };
            client.create_memory(task, Outcome::Pass, lesson).await.unwrap();
        }
        let skill = client.create_skill(CreateSkillRequest { n_passed: Some(3), n_failed: Some(0) }).await.unwrap();
        assert_eq!((skill.version, skill.n_passed), (1, 3));
        client.create_skill(CreateSkillRequest::default()).await.unwrap();
        assert_eq!(client.get_skill().await.unwrap().unwrap().version, 2);
        assert_eq!(client.get_skill_version(1).await.unwrap(), skill);
        assert_eq!(client.list_skill_versions().await.unwrap().len(), 2);
        assert_eq!(client.get_skill_version(9).await.unwrap_err().code(), Some(ErrorCode::NotFound));
    }

    async fn the_judge_reports(client) {
        learned(&client, "Refund order A-17").await;
        assert_eq!(client.judge_report().await.unwrap().judge, "off");
    }
}
