// Blocks a merge that makes this project slower. 'tailgate' must be installed on the machine, which
// runs nothing else meanwhile.
pipeline {
  agent { label 'quiet' }
  options { disableConcurrentBuilds() }
  stages {
    stage('gate') {
      steps {
        script {
          def code = sh(returnStatus: true, script: '''
              rm -rf tailgate-out
              base=$(git merge-base "origin/${CHANGE_TARGET:-main}" HEAD)
              tailgate gate "$base" HEAD --out tailgate-out''')
          junit allowEmptyResults: true, testResults: 'tailgate-out/verdict.xml'
          archiveArtifacts artifacts: 'tailgate-out/**', allowEmptyArchive: true
          if (code == 3) {
            unstable('inconclusive')
          } else if (code != 0) {
            error("tailgate gate: exit code ${code}")
          }
        }
      }
    }
  }
}
